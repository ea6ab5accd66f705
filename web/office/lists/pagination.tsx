/** The pagination of a list. */
import { formatCount } from '../../../engine/index.ts'
import type { AdminList } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { ListPageData } from '../office-api-responses.ts'
import { listPageNumbers } from '../office-api-and-urls.ts'
import './pagination.css'

type PaginationProps = {
  readonly list: AdminList
  readonly page: ListPageData
  readonly lastPage: number
  readonly onPageChange: (page: number) => void
  readonly onPageSizeChange: (size: number) => void
}

/** Shows the page numbers and, if the event file lists page sizes, the number of rows per page. */
export function Pagination({
  list,
  page,
  lastPage,
  onPageChange,
  onPageSizeChange,
}: PaginationProps) {
  const sizes = [
    ...new Set([...list.pageSizes, ...(list.pageSizes.length > 0 ? [page.pageSize] : [])]),
  ].sort((a, b) => a - b)
  return (
    <div className="pagination">
      {sizes.length > 0 && (
        <div>
          <label htmlFor="page-size">Rows per page</label>
          <select
            id="page-size"
            value={page.pageSize}
            onChange={(event) => onPageSizeChange(Number(event.target.value))}
          >
            {sizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </div>
      )}
      {lastPage > 1 && (
        <nav aria-label="Pages">
          <ol>
            <li>
              <button
                type="button"
                aria-label="Previous page"
                disabled={page.page <= 1}
                onClick={() => onPageChange(page.page - 1)}
              >
                <Icon name="left" small />
              </button>
            </li>
            {listPageNumbers(page.page, lastPage).map((number, index) =>
              number === null ? (
                <li key={`gap${index}`} aria-hidden="true" className="gap">
                  …
                </li>
              ) : (
                <li key={number}>
                  <button
                    type="button"
                    aria-label={`Page ${number}`}
                    {...(number === page.page && { 'aria-current': 'page' as const })}
                    onClick={() => onPageChange(number)}
                  >
                    {formatCount(number)}
                  </button>
                </li>
              ),
            )}
            <li>
              <button
                type="button"
                aria-label="Next page"
                disabled={page.page >= lastPage}
                onClick={() => onPageChange(page.page + 1)}
              >
                <Icon name="right" small />
              </button>
            </li>
          </ol>
        </nav>
      )}
    </div>
  )
}
