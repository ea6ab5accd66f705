/** The pagination of a list. */
import { formatCount } from '../../../engine/index.ts'
import type { AdminList } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { Page } from '../office-api-responses.ts'
import { pageWindow } from '../office-api-and-urls.ts'
import './pagination.css'

type PagerProps = {
  readonly list: AdminList
  readonly page: Page
  readonly last: number
  readonly onTurn: (page: number) => void
  readonly onSize: (size: number) => void
}

/** Page numbers (first, last, current ± 2) and, if the event file offers sizes, rows per page. */
export function Pager({ list, page, last, onTurn, onSize }: PagerProps) {
  const sizes = [
    ...new Set([...list.pageSizes, ...(list.pageSizes.length > 0 ? [page.pageSize] : [])]),
  ].sort((a, b) => a - b)
  return (
    <div className="pgn">
      {sizes.length > 0 && (
        <div>
          <label htmlFor="page-size">Rows per page</label>
          <select
            id="page-size"
            value={page.pageSize}
            onChange={(event) => onSize(Number(event.target.value))}
          >
            {sizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </div>
      )}
      {last > 1 && (
        <nav aria-label="Pages">
          <ol>
            <li>
              <button
                type="button"
                aria-label="Previous page"
                disabled={page.page <= 1}
                onClick={() => onTurn(page.page - 1)}
              >
                <Icon name="left" small />
              </button>
            </li>
            {pageWindow(page.page, last).map((number, index) =>
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
                    onClick={() => onTurn(number)}
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
                disabled={page.page >= last}
                onClick={() => onTurn(page.page + 1)}
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
