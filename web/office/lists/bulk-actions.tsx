/** The bulk actions on the selected rows of a list, with their results. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { allowedActions, formatCount, STATES } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type { BulkAnswer, ListRow } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'
import { BUTTONS } from '../registration/action-buttons.ts'
import { ask } from '../office-api-and-urls.ts'
import { useLeaveOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import '../ui/form-fields.css'
import './bulk-actions.css'

/** Actions that the server can perform on many registrations at once. */
const BULK = ['approve', 'confirm', 'accept', 'send_pay_link', 'resend', 'note'] as const
type BulkAct = (typeof BULK)[number]
/** Labels; `accept`, which belongs to a payment elsewhere, has its own here. */
const WORDS = { ...BUTTONS, accept: 'Accept payment' } as const
const ASKS_WHY: readonly BulkAct[] = ['accept', 'note']

const readBulk: Reader<BulkAnswer> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'message') &&
  listOf(body['refused'], (one) =>
    isRecord(one) && hasAll(one, 'string', 'reg_no', 'message') ? one : null,
  ) !== null
    ? (body as BulkAnswer)
    : null

type BulkBarProps = {
  readonly role: Role
  readonly ticked: readonly ListRow[]
  readonly onUntick: () => void
  /** The list has changed. */
  readonly onDone: () => void
}

/** Renders nothing if no row is selected and no action has been performed. */
export function BulkBar({ role, ticked, onUntick, onDone }: BulkBarProps) {
  const [open, setOpen] = useState<BulkAct | null>(null)
  const doing = useMutation({
    mutationFn: (words: { readonly act: BulkAct; readonly why: string }) =>
      ask('/api/admin/registrations/bulk/', readBulk, {
        method: 'POST',
        json: { ...words, reg_nos: ticked.map(({ reg_no: number }) => number) },
      }),
    onSuccess: () => {
      setOpen(null)
      onUntick()
      onDone()
    },
  })
  const refused = useLeaveOn401(doing.error)
  const acts = BULK.filter((act) => ticked.some((row) => mayBe(act, row, role)))
  if (ticked.length === 0)
    return doing.data === undefined ? null : <Outcome {...doing.data} onClose={doing.reset} />
  return (
    <div className="bulk" role="group" aria-label="Selected registrations">
      <p>
        <b>{formatCount(ticked.length)}</b> selected
      </p>
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          className="btn line sm"
          onClick={() => {
            doing.reset()
            setOpen(act)
          }}
        >
          {WORDS[act]}
        </button>
      ))}
      <button type="button" className="btn quiet sm" onClick={onUntick}>
        Clear selection
      </button>
      {open !== null && (
        <Dialog title={`${WORDS[open]}: ${ticked.length}`} onClose={() => setOpen(null)}>
          {refused && <Banner text={refused.message} />}
          <form
            className="making"
            onSubmit={(submitted) => {
              submitted.preventDefault()
              const why = new FormData(submitted.currentTarget).get('why')
              doing.mutate({ act: open, why: String(why ?? '') })
            }}
          >
            <p>Each row is processed separately. Rows that fail are left unchanged and listed.</p>
            <label>
              {open === 'note' ? 'Note' : ASKS_WHY.includes(open) ? 'Reason' : 'Reason (optional)'}
              <textarea
                name="why"
                rows={3}
                maxLength={500}
                required={ASKS_WHY.includes(open)}
                autoComplete="off"
              />
            </label>
            <div className="acts">
              <button type="submit" className="btn" disabled={doing.isPending}>
                {WORDS[open]}
              </button>
              <button type="button" className="btn line" onClick={() => setOpen(null)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </div>
  )
}

/** Follows the table of actions; the server checks conditions that the row does not show. */
function mayBe(act: BulkAct, row: ListRow, role: Role): boolean {
  const state = STATES.find((known) => known === row['in_state'])
  if (state === undefined || (act === 'accept' && !row.in_review)) return false
  // In bulk, only payment claims are confirmed: nobody enters amounts for each row.
  if (act === 'confirm' && state !== 'told') return false
  return allowedActions(state, role).includes(act)
}

function Outcome({ message, refused, onClose }: BulkAnswer & { readonly onClose: () => void }) {
  return (
    <div className="bulk" role="status">
      <p>{message}</p>
      <button type="button" className="btn quiet sm" onClick={onClose}>
        Dismiss
      </button>
      {refused.length > 0 && (
        <ul>
          {refused.map(({ reg_no: number, message: why }) => (
            <li key={number}>
              {number}: {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
