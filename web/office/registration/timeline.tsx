/** The timeline of a registration: money, emails, notes and changes in one list, and the note field. */
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ActionsResponse, OfficeRegistrationResponse } from '../../../engine/api.ts'
import { createIdempotencyKey } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { IconName } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readOutcome } from '../ui/action-outcome.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { useToast } from '../ui/toast.tsx'
import { ShowMoreButton } from '../ui/show-more-button.tsx'
import { buildActionsUrl } from './actions/use-actions.ts'

type EntryKind = 'money' | 'email' | 'note' | 'change' | 'access'
export type TimelineEntry = {
  readonly at: string
  readonly kind: EntryKind
  readonly text: string
  /** Empty for entries by the system. */
  readonly who: string
  /** The reason or the note. */
  readonly reason?: string
  readonly email?: OfficeRegistrationResponse['mails'][number]
}

/** Number of entries shown at first, and added by each click. */
const ENTRIES_PER_CLICK = 30

const ENTRY_KINDS = {
  money: { icon: 'rows', label: 'Payment' },
  email: { icon: 'mail', label: 'Email' },
  note: { icon: 'file', label: 'Note' },
  change: { icon: 'again', label: 'Change' },
  access: { icon: 'search', label: 'Access' },
} as const satisfies Readonly<Record<EntryKind, { icon: IconName; label: string }>>

const EMAIL_BADGES = {
  queued: { tone: 'wait', icon: 'clock', label: 'Queued' },
  sent: { tone: 'good', icon: 'tick', label: 'Sent' },
  failed: { tone: 'bad', icon: 'cross', label: 'Failed' },
} as const

/**
 * Merges all entries, newest first. The audit log repeats each action and decision, so only views
 * and entries missing elsewhere are read from it.
 */
export function buildEntries(
  {
    payments,
    mails: emails,
    audit,
  }: Pick<OfficeRegistrationResponse, 'payments' | 'mails' | 'audit'>,
  history: ActionsResponse['trail'],
): readonly TimelineEntry[] {
  const recordedKeys = history.map(({ at, who }) => `${at} ${who}`)
  const otherAuditEntries = audit.filter(({ at, who: user, is_access: isAccess }) => {
    const index = isAccess ? -1 : recordedKeys.indexOf(`${at} ${user}`)
    if (index === -1) return true
    recordedKeys.splice(index, 1)
    return false
  })
  const entries: readonly TimelineEntry[] = [
    ...history.map(({ at, who, act, text, why: reason }) => ({
      at,
      kind: act === 'note' || act === 'undo_note' ? ('note' as const) : ('change' as const),
      text,
      who,
      reason,
    })),
    ...payments.flatMap(({ created_at: requestedAt, asked, facts: events }) => [
      // A payment that staff recorded is in the history, with the name of the user.
      ...events
        .filter(({ type }) => type !== 'recorded')
        .map(({ at, text }) => ({ at, kind: 'money' as const, text, who: '' })),
      { at: requestedAt, kind: 'money' as const, text: asked, who: '' },
    ]),
    ...emails.map((email) => ({
      at: email.at,
      kind: 'email' as const,
      text: email.subject,
      who: email.to,
      email,
    })),
    ...otherAuditEntries.map(({ at, who: user, what: text, is_access: isAccess }) => ({
      at,
      kind: isAccess ? ('access' as const) : ('change' as const),
      text: `${text.charAt(0).toUpperCase()}${text.slice(1)}`,
      who: user,
    })),
  ]
  return [...entries].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

export function Timeline({
  regNo,
  entries,
  canAddNote,
  onDone,
}: {
  readonly regNo: string
  readonly entries: readonly TimelineEntry[]
  readonly canAddNote: boolean
  /** Called after a note has been added. */
  readonly onDone: () => void
}) {
  const [isAccessShown, setAccessShown] = useState(false)
  const [visibleCount, setVisibleCount] = useState(ENTRIES_PER_CLICK)
  const visibleEntries = entries.filter(({ kind }) => isAccessShown || kind !== 'access')
  return (
    <section className="panel timeline" id="timeline" aria-labelledby="reg-timeline">
      <div className="panel-header">
        <h2 id="reg-timeline">Timeline</h2>
        <label className="show-views">
          <input
            type="checkbox"
            checked={isAccessShown}
            onChange={({ target }) => setAccessShown(target.checked)}
          />
          Show who viewed this
        </label>
      </div>
      {canAddNote && <NoteForm regNo={regNo} onDone={onDone} />}
      <ul className="log">
        {visibleEntries.slice(0, visibleCount).map((entry, index) => (
          <Entry key={index} {...entry} />
        ))}
      </ul>
      <ShowMoreButton
        count={visibleEntries.length}
        visibleCount={visibleCount}
        step={ENTRIES_PER_CLICK}
        onChange={setVisibleCount}
      />
    </section>
  )
}

function Entry({ at, kind, text, who, reason = '', email }: TimelineEntry) {
  const { icon, label } = ENTRY_KINDS[kind]
  return (
    <li>
      <span>
        <Icon name={icon} small /> <span className="vh">{label}: </span>
        {text}
        {reason !== '' && <q>{reason}</q>}
        {who !== '' && <small>{who}</small>}
        {email?.error && <small className="bad">{email.error}</small>}
      </span>
      <span className="r">
        {email && (
          <Badge tone={EMAIL_BADGES[email.status].tone} icon={EMAIL_BADGES[email.status].icon}>
            {EMAIL_BADGES[email.status].label}
          </Badge>
        )}
        <EntryTime at={at} />
      </span>
    </li>
  )
}

function NoteForm({ regNo, onDone }: { readonly regNo: string; readonly onDone: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const showToast = useToast()
  // A repeated click sends the same key, so that the note is written once.
  const idempotencyKey = useRef(createIdempotencyKey())
  const mutation = useMutation({
    mutationFn: (note: string) =>
      callApi(buildActionsUrl(regNo), readOutcome, {
        method: 'POST',
        json: { act: 'note', why: note, key: idempotencyKey.current },
      }),
    onSuccess: ({ message }, note) => {
      showToast(message, { onUndo: () => undo.mutate(note) })
      form.current?.reset()
      idempotencyKey.current = createIdempotencyKey()
      onDone()
    },
  })
  /**
   * Undoes a note, which is safe because a note has no effect outside the office. The server finds the note by its
   * text.
   */
  const undo = useMutation({
    mutationFn: (note: string) =>
      callApi(buildActionsUrl(regNo), readOutcome, {
        method: 'POST',
        json: { act: 'undo_note', why: note, key: createIdempotencyKey() },
      }),
    onSuccess: ({ message }) => {
      showToast(message)
      onDone()
    },
    onError: (failure) => showToast(failure.message, { tone: 'bad' }),
  })
  const error = useSignInOn401(mutation.error)
  return (
    <>
      {error && <Banner text={error.message} />}
      <form
        ref={form}
        className="inline-form note"
        onSubmit={(event) => {
          event.preventDefault()
          if (!mutation.isPending)
            mutation.mutate(String(new FormData(event.currentTarget).get('note') ?? '').trim())
        }}
      >
        <label>
          Note
          <textarea name="note" rows={2} maxLength={500} required autoComplete="off" />
        </label>
        <button type="submit" className="btn line sm" aria-disabled={mutation.isPending}>
          Add note
        </button>
      </form>
    </>
  )
}
