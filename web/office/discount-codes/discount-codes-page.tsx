/** The discount codes of one event: create, count, withdraw. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { formatDayShort, isAtLeast, isDay } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type { OfficeEvent, WireCode } from '../../../engine/api.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readDiscountCodes, readCreatedCodes, readMessage } from '../office-api-responses.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import '../ui/form-fields.css'
import '../registration/registration-details-page.css'
import './discount-codes-page.css'

const CALL = '/api/admin/codes/'

/** The form that creates discount codes, beside the list of existing ones. */
export function CodesPage({ event, role }: { readonly event: OfficeEvent; readonly role: Role }) {
  // Other roles see only the beginning of each code, which is not sufficient to withdraw it.
  const gives = isAtLeast(role, 'treasurer')
  const query = useQuery({
    queryKey: ['codes', event.id],
    queryFn: ({ signal }) =>
      callApi(`${CALL}?event=${encodeURIComponent(event.id)}`, readDiscountCodes, { signal }),
  })
  const error = useSignInOn401(query.error)
  const again = () => void query.refetch()
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Codes">
        <p className="mute">{event.title}</p>
      </PageHeading>
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: again }} />}
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the codes</span>
        </p>
      )}
      {query.data && (
        <div className="panels top">
          <Made eventId={event.id} {...query.data} gives={gives} onChange={again} />
          {gives && <Making eventId={event.id} kinds={query.data.kinds} onMade={again} />}
        </div>
      )}
    </main>
  )
}

type Kinds = readonly { readonly id: string; readonly label: string }[]

function Making({
  eventId,
  kinds,
  onMade,
}: {
  readonly eventId: string
  readonly kinds: Kinds
  readonly onMade: () => void
}) {
  const form = useRef<HTMLFormElement>(null)
  const make = useMutation({
    mutationFn: (words: Readonly<Record<string, string>>) =>
      callApi(CALL, readCreatedCodes, { method: 'POST', json: { ...words, event: eventId } }),
    onSuccess: () => {
      form.current?.reset()
      onMade()
    },
  })
  const refused = useSignInOn401(make.error)
  return (
    <section className="pan" aria-labelledby="codes-make">
      <h2 id="codes-make">Create codes</h2>
      {refused && <Banner text={refused.message} onDismiss={() => make.reset()} />}
      <form
        ref={form}
        className="making"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          const data = new FormData(submitted.currentTarget)
          const words = [...data].flatMap(([name, value]) =>
            typeof value === 'string' && value.trim() !== '' ? [[name, value] as const] : [],
          )
          make.mutate(Object.fromEntries(words))
        }}
      >
        <label>
          Kind
          <select name="kind">
            {kinds.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Number of codes <input name="count" inputMode="numeric" defaultValue="1" />
        </label>
        <label>
          Uses per code
          <input name="uses" inputMode="numeric" defaultValue="1" />
        </label>
        <label>
          Valid until
          <input name="until" type="date" />
        </label>
        <label>
          Note for staff
          <input name="note" maxLength={200} autoComplete="off" />
        </label>
        <button type="submit" className="btn" disabled={make.isPending}>
          Create codes
        </button>
      </form>
      <div role="status">
        {make.data && (
          <>
            <p className="settled">
              {make.data.length === 1 ? '1 code created:' : `${make.data.length} codes created:`}
            </p>
            <pre className="fresh">{make.data.join('\n')}</pre>
          </>
        )}
      </div>
    </section>
  )
}

function Made({
  eventId,
  codes,
  kinds,
  gives,
  onChange,
}: {
  readonly eventId: string
  readonly codes: readonly WireCode[]
  readonly kinds: Kinds
  readonly gives: boolean
  readonly onChange: () => void
}) {
  const [asked, setAsked] = useState<string | null>(null)
  const withdraw = useMutation({
    mutationFn: (code: string) =>
      callApi(`${CALL}withdraw/`, readMessage, { method: 'POST', json: { event: eventId, code } }),
    onSuccess: onChange,
    onSettled: () => setAsked(null),
  })
  const refused = useSignInOn401(withdraw.error)
  const labelOf = (kind: string) => kinds.find(({ id }) => id === kind)?.label ?? kind
  return (
    <section className="pan" aria-labelledby="codes-made">
      <h2 id="codes-made">Codes</h2>
      {refused && <Banner text={refused.message} onDismiss={() => withdraw.reset()} />}
      <p role="status" className="settled">
        {withdraw.data ?? ''}
      </p>
      {codes.length === 0 && <p className="mute">No codes yet.</p>}
      <ul className="log">
        {codes.map((code, at) => (
          <li key={gives ? code.code : at}>
            <span>
              <b className="code">{code.code}</b>
              <small>{aboutOf(code, labelOf(code.kind))}</small>
            </span>
            <span className="r">
              {code.withdrawn_at !== null ? (
                <Badge tone="bad" icon="cross">
                  Withdrawn
                </Badge>
              ) : gives ? (
                <button
                  type="button"
                  className="btn line sm"
                  disabled={withdraw.isPending}
                  onClick={() =>
                    asked === code.code ? withdraw.mutate(code.code) : setAsked(code.code)
                  }
                >
                  {asked === code.code ? 'Withdraw permanently?' : 'Withdraw'}
                  <span className="vh"> {code.code}</span>
                </button>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function aboutOf({ uses, uses_max, until, note }: WireCode, kind: string): string {
  return [
    kind,
    `${uses} of ${uses_max} used`,
    ...(until !== null && isDay(until) ? [`valid until ${formatDayShort(until)}`] : []),
    ...(note === '' ? [] : [note]),
  ].join(' · ')
}
