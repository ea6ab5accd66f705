/** The discount codes of an event: the list with its export and slips, and the form that creates them. */
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { isAtLeast } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { readCreatedCodes, readDiscountCodes } from './code-api-responses.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { ExportButtons } from '../jobs/export-buttons.tsx'
import { ShowOlder } from '../ui/log-list.tsx'
import { API_PATH, CodeList } from './code-list.tsx'
import type { Kinds } from './code-list.tsx'
import { CodeSlips } from './code-slips.tsx'
import '../ui/form-fields.css'
import '../registration/registration-details-page.css'
import './discount-codes-page.css'

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
  const listUrl = `${API_PATH}?event=${encodeURIComponent(event.id)}`
  const query = useInfiniteQuery({
    queryKey: ['codes', event.id],
    initialPageParam: null as number | null,
    queryFn: ({ signal, pageParam }) =>
      callApi(`${listUrl}${pageParam === null ? '' : `&before=${pageParam}`}`, readDiscountCodes, {
        signal,
      }),
    getNextPageParam: ({ before }) => before,
  })
  const error = useSignInOn401(query.error)
  const reload = () => void query.refetch()
  const [params] = useSearchParams()
  const [firstPage] = query.data?.pages ?? []
  const codes = query.data?.pages.flatMap((page) => page.codes) ?? []
  const isPrintingSlips = canManage && params.get('print') === 'slips'
  // Slips are printed for all codes, not only for the newest.
  const { hasNextPage, isFetching, isError, fetchNextPage } = query
  useEffect(() => {
    if (isPrintingSlips && hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [isPrintingSlips, hasNextPage, isFetching, isError, fetchNextPage])
  const isLoading = query.data === undefined || (isPrintingSlips && hasNextPage)
  if (isPrintingSlips && firstPage !== undefined && !isLoading)
    return <CodeSlips event={event} codes={codes} kinds={firstPage.kinds} today={firstPage.today} />
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Discount codes">
        {codes.length > 0 && (
          <div className="actions">
            <ExportButtons
              files={[{ label: 'Export CSV', path: `${listUrl}&as=csv`, name: 'codes.csv' }]}
            />
            {canManage && (
              <Link className="btn line sm" to="?print=slips">
                <Icon name="print" small />
                Print slips
              </Link>
            )}
            {canManage && (
              <a className="btn sm to-form" href="#codes-make">
                Create codes
              </a>
            )}
          </div>
        )}
      </PageHeading>
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: reload }} />}
      {isLoading && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the codes</span>
        </p>
      )}
      {firstPage !== undefined && !isPrintingSlips && (
        <div className="codes">
          <div className="panel">
            <h2>All codes</h2>
            <CodeList
              eventId={event.id}
              codes={codes}
              kinds={firstPage.kinds}
              currency={readResponseCurrency(firstPage)}
              canManage={canManage}
              onChange={reload}
            />
            <ShowOlder query={query} />
          </div>
          {canManage && (
            <CreateCodesForm eventId={event.id} kinds={firstPage.kinds} onCreated={reload} />
          )}
        </div>
      )}
    </main>
  )
}

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
    <section className="panel" aria-labelledby="codes-make">
      <h2 id="codes-make">Create codes</h2>
      {createError && (
        <Banner text={createError.message} onDismiss={() => createMutation.reset()} />
      )}
      <form
        ref={form}
        className="inline-form"
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
          Type
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
            <p className="form-status">
              {createMutation.data.length === 1
                ? '1 code created:'
                : `${createMutation.data.length} codes created:`}
            </p>
            <pre className="created-codes">{createMutation.data.join('\n')}</pre>
          </>
        )}
      </div>
    </section>
  )
}
