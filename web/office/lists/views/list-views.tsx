/** The views of a list as tabs: first the built-in views, then the saved views of the user. */
import { useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { AdminList } from '../../../../engine/index.ts'
import type { OfficeEvent } from '../../../../engine/api.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { EXTRA_FILTERS } from '../../office-api-and-urls.ts'
import type { ListSettings } from './saved-views-and-columns.tsx'
import './list-views.css'

type View = { readonly name: string; readonly query: string }

type ListViewsProps = {
  readonly event: OfficeEvent
  readonly list: AdminList
  readonly listSettings: ListSettings
  readonly searchParams: URLSearchParams
  /** Parameters that are kept when the view changes, because they are neither filters nor page numbers. */
  readonly fixedParams: readonly string[]
}

export function ListViews({
  event,
  list,
  listSettings,
  searchParams,
  fixedParams,
}: ListViewsProps) {
  const tabs = useRef<HTMLElement>(null)
  const { views: savedViews } = listSettings.current
  const query = buildViewQuery(list, searchParams)
  const views: readonly View[] = [...listBuiltInViews(event), ...savedViews]
  const savedView = savedViews.find((view) => view.query === query)
  const buildViewUrl = (view: View): string => {
    const params = new URLSearchParams(view.query)
    for (const name of fixedParams) {
      const value = searchParams.get(name)
      if (value !== null) params.set(name, value)
    }
    return `?${params}`
  }
  return (
    <nav className="views" aria-label="Views" ref={tabs}>
      {views.map((view) => (
        <Link
          key={view.name}
          to={buildViewUrl(view)}
          {...(view.query === query && { 'aria-current': 'page' as const })}
        >
          {view.name}
        </Link>
      ))}
      {savedView !== undefined && (
        <button
          type="button"
          className="plain-button"
          aria-label={`Delete the view ${savedView.name}`}
          onClick={() => {
            listSettings.save({ views: savedViews.filter((other) => other !== savedView) })
            // Otherwise the focus would be lost, because the focused button is removed.
            tabs.current?.querySelector('a')?.focus()
          }}
        >
          <Icon name="cross" small />
        </button>
      )}
      {query !== '' && !views.some((view) => view.query === query) && (
        <SaveView
          onSave={(name) => {
            listSettings.save({ views: [...savedViews, { name, query }] })
            tabs.current?.querySelector('a')?.focus()
          }}
        />
      )}
    </nav>
  )
}

const listBuiltInViews = ({ checks_documents }: OfficeEvent): readonly View[] => [
  { name: 'All', query: '' },
  { name: 'Unpaid', query: 'in_state=to_pay' },
  { name: 'Needs review', query: 'waiting=review' },
  ...(checks_documents ? [{ name: 'Document to check', query: 'in_state=to_approve' }] : []),
]

/**
 * Keeps the filters and sort order of the URL. Omits the search, which may contain a name, and the
 * page number.
 */
function buildViewQuery(list: AdminList, searchParams: URLSearchParams): string {
  const paramNames = [
    ...list.filters.filter(({ kind }) => kind !== 'search').map(({ sentAs }) => sentAs),
    ...EXTRA_FILTERS,
    'sort',
  ]
  const entries = paramNames.flatMap((name) => {
    const value = searchParams.get(name)
    return value ? [[name, value]] : []
  })
  return new URLSearchParams(entries).toString()
}

function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  return (
    <details className="save-view">
      <summary>Save view</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSave(name.trim())
        }}
      >
        <label>
          View name
          <input
            value={name}
            required
            maxLength={60}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <button type="submit" className="btn line sm">
          Save
        </button>
      </form>
    </details>
  )
}
