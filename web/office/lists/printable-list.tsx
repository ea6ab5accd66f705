/** A printable list: alphabetical, with a column for signatures. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount, listColumns } from '../../../engine/index.ts'
import type { AdminList } from '../../../engine/index.ts'
import type { ListRow, OfficeEvent } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading, readDue, RegNumber } from '../ui/error-banner-and-heading.tsx'
import { readAllRows } from './selection.ts'
import { buildCells } from './visible-columns.ts'
import { formatRegistrationCount } from './list-totals.tsx'
import './printable-list.css'

/** The maximum number of rows, which fill about 150 pages. */
const MAX_PRINTED_ROWS = 5_000

type PrintableListProps = {
  readonly event: OfficeEvent
  readonly list: AdminList
  /** The filters of the list page. */
  readonly searchParams: URLSearchParams
}

export function PrintableList({ event, list, searchParams }: PrintableListProps) {
  const params = new URLSearchParams(searchParams)
  params.delete('print')
  const listUrl = `?${params}`
  params.set('sort', event.always.name === null ? 'number' : 'name')
  const query = useQuery({
    queryKey: ['printed', list.api, params.toString()],
    queryFn: () => readAllRows(list, params, MAX_PRINTED_ROWS),
  })
  const error = useSignInOn401(query.error)
  const rows = query.data
  const { cells } = buildCells(listColumns(list), event.always, [])
  const findCell = (slot: string) => cells.find((cell) => cell.slot === slot)
  const [name, category, number] = ['name', 'option', 'reg'].map(findCell)
  const phone = number?.details[0]
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title={`${event.title}: attendance list`}>
        <div className="actions">
          <Link className="btn line sm" to={listUrl}>
            Back to the list
          </Link>
          <button
            type="button"
            className="btn sm"
            disabled={rows === undefined}
            onClick={() => print()}
          >
            <Icon name="print" small />
            Print
          </button>
        </div>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {rows === undefined && !query.isError && <p role="status">Loading registrations…</p>}
      {rows && (
        <>
          <p className="mute" role="status">
            {rows.length === MAX_PRINTED_ROWS
              ? `The first ${formatCount(MAX_PRINTED_ROWS)} registrations. Set filters to print fewer.`
              : formatRegistrationCount(rows.length)}
          </p>
          <div className="sheet" role="region" aria-label="Attendance list" tabIndex={0}>
            <table>
              <caption className="vh">Attendance list</caption>
              <thead>
                <tr>
                  <th scope="col">No.</th>
                  <th scope="col">{name?.column.label ?? 'Name'}</th>
                  <th scope="col">{category?.column.label ?? 'Category'}</th>
                  <th scope="col">{number?.column.label ?? 'Registration number'}</th>
                  {phone && <th scope="col">{phone.label}</th>}
                  <th scope="col">Payment</th>
                  <th scope="col">Signature</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row, index) => (
                  <tr key={row.reg_no}>
                    <td className="num">{formatCount(index + 1)}</td>
                    <th scope="row">{name && readText(row, name.column.id)}</th>
                    <td className="category">{category && readText(row, category.column.id)}</td>
                    <td>
                      <RegNumber text={row.reg_no} />
                    </td>
                    {phone && <td>{readText(row, phone.id)}</td>}
                    <td>
                      {row.payment_status_display}
                      {row.payment_status === 'success' && readDue(row) > 0 && ', balance due'}
                    </td>
                    <td className="signature">&nbsp;</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </main>
  )
}

/** Returns the text of an answer; for an option, its label. */
const readText = (row: ListRow, id: string): string => String(row[`${id}_display`] ?? row[id] ?? '')
