/** The discount codes of an event: create, list and withdraw them. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { formatDayShort, isAtLeast, isDay } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type { OfficeEvent, WireCode } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readDiscountCodes, readCreatedCodes, readMessage } from '../office-api-responses.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { CodeSlips } from './code-slips.tsx'
import '../ui/form-fields.css'
import '../registration/registration-details-page.css'
import './discount-codes-page.css'

const API_PATH = '/api/admin/codes/'

/** Shows the discount codes of an event and, for treasurers, the form that creates them. */
export function DiscountCodesPage({
  event,
  role,
}: {
  readonly event: OfficeEvent
  readonly role: Role
}) {
  // Other roles see only the beginning of each code, which is not enough to withdraw it.
  const canManage = isAtLeast(role, 'treasurer')
  const query = useQuery({
    queryKey: ['codes', event.id],
    queryFn: ({ signal }) =>
      callApi(`${API_PATH}?event=${encodeURIComponent(event.id)}`, readDiscountCodes, { signal }),
  })
  const error = useSignInOn401(query.error)
  const reload = () => void query.refetch()
  const [params] = useSearchParams()
  if (canManage && params.get('print') === 'slips' && query.data)
    return <CodeSlips event={event} {...query.data} />
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Codes">
        {canManage && query.data !== undefined && query.data.codes.length > 0 && (
          <Link className="btn line sm" to="?print=slips">
            <Icon name="print" small />
            Print slips
          </Link>
        )}
      </PageHeading>
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: reload }} />}
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the codes</span>
        </p>
      )}
      {query.data && (
        <div className="panels top">
          <CodeList eventId={event.id} {...query.data} canManage={canManage} onChange={reload} />
          {canManage && (
            <CreateCodesForm eventId={event.id} kinds={query.data.kinds} onCreated={reload} />
          )}
        </div>
      )}
    </main>
  )
}

type Kinds = readonly { readonly id: string; readonly label: string }[]

function CreateCodesForm({
  eventId,
  kinds,
  onCreated,
}: {
  readonly eventId: string
  readonly kinds: Kinds
  readonly onCreated: () => void
}) {
  const form = useRef<HTMLFormElement>(null)
  const createMutation = useMutation({
    mutationFn: (values: Readonly<Record<string, string>>) =>
      callApi(API_PATH, readCreatedCodes, { method: 'POST', json: { ...values, event: eventId } }),
    onSuccess: () => {
      form.current?.reset()
      onCreated()
    },
  })
  const createError = useSignInOn401(createMutation.error)
  return (
    <section className="pan" aria-labelledby="codes-make">
      <h2 id="codes-make">Create codes</h2>
      {createError && (
        <Banner text={createError.message} onDismiss={() => createMutation.reset()} />
      )}
      <form
        ref={form}
        className="making"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          const values = [...data].flatMap(([name, value]) =>
            typeof value === 'string' && value.trim() !== '' ? [[name, value] as const] : [],
          )
          createMutation.mutate(Object.fromEntries(values))
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
        <button type="submit" className="btn" disabled={createMutation.isPending}>
          Create codes
        </button>
      </form>
      <div role="status">
        {createMutation.data && (
          <>
            <p className="settled">
              {createMutation.data.length === 1
                ? '1 code created:'
                : `${createMutation.data.length} codes created:`}
            </p>
            <pre className="fresh">{createMutation.data.join('\n')}</pre>
          </>
        )}
      </div>
    </section>
  )
}

function CodeList({
  eventId,
  codes,
  kinds,
  canManage,
  onChange,
}: {
  readonly eventId: string
  readonly codes: readonly WireCode[]
  readonly kinds: Kinds
  readonly canManage: boolean
  readonly onChange: () => void
}) {
  const [codeToConfirm, setCodeToConfirm] = useState<string | null>(null)
  const withdrawMutation = useMutation({
    mutationFn: (code: string) =>
      callApi(`${API_PATH}withdraw/`, readMessage, {
        method: 'POST',
        json: { event: eventId, code },
      }),
    onSuccess: onChange,
    onSettled: () => setCodeToConfirm(null),
  })
  const withdrawError = useSignInOn401(withdrawMutation.error)
  const getKindLabel = (kind: string) => kinds.find(({ id }) => id === kind)?.label ?? kind
  return (
    <section className="pan" aria-labelledby="codes-made">
      <h2 id="codes-made">Created codes</h2>
      {withdrawError && (
        <Banner text={withdrawError.message} onDismiss={() => withdrawMutation.reset()} />
      )}
      <p role="status" className="settled">
        {withdrawMutation.data ?? ''}
      </p>
      {codes.length === 0 && <p className="mute">No codes yet.</p>}
      <ul className="log">
        {codes.map((code, index) => (
          <li key={canManage ? code.code : index}>
            <span>
              <b className="code">{code.code}</b>
              <small>{describeCode(code, getKindLabel(code.kind))}</small>
            </span>
            <span className="r">
              {code.withdrawn_at !== null ? (
                <Badge tone="bad" icon="cross">
                  Withdrawn
                </Badge>
              ) : canManage ? (
                <button
                  type="button"
                  className="btn line sm"
                  disabled={withdrawMutation.isPending}
                  onClick={() =>
                    codeToConfirm === code.code
                      ? withdrawMutation.mutate(code.code)
                      : setCodeToConfirm(code.code)
                  }
                >
                  {codeToConfirm === code.code ? 'Withdraw permanently?' : 'Withdraw'}
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

function describeCode({ uses, uses_max, until, note }: WireCode, kind: string): string {
  return [
    kind,
    `${uses} of ${uses_max} used`,
    ...(until !== null && isDay(until) ? [`valid until ${formatDayShort(until)}`] : []),
    ...(note === '' ? [] : [note]),
  ].join(' · ')
}
