/**
 * The user's settings for a list: additional columns and saved views.
 * Stored on the server, so that they apply in every browser.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminList, Column, MyList, MyListsResponse } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { hasAll, isRecord, listOf, recordOf } from '../../app/json-readers.ts'
import { EXTRA_FILTERS, callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import './saved-views-and-columns.css'

const API_PATH = '/api/admin/my-lists/'
const DEFAULT_SETTINGS: MyList = { columns: [], views: [] }

const readListSettings: Reader<MyListsResponse['lists']> = (body) =>
  isRecord(body)
    ? recordOf(body['lists'], (entry) =>
        isRecord(entry) &&
        listOf(entry['columns'], (id) => (typeof id === 'string' ? id : null)) !== null &&
        listOf(entry['views'], (view) =>
          isRecord(view) && hasAll(view, 'string', 'name', 'query') ? view : null,
        ) !== null
          ? (entry as MyList)
          : null,
      )
    : null

/**
 * Returns the user's settings for a list, and a function that changes them. Returns the defaults
 * if loading fails.
 */
export function useListSettings(event: OfficeEvent, list: AdminList) {
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: ['my-lists'],
    queryFn: ({ signal }) => callApi(API_PATH, readListSettings, { signal }),
    staleTime: Infinity,
  })
  const key = `${event.id}/${list.id}`
  // A change takes effect immediately, before the server has confirmed it.
  const [unsavedSettings, setUnsavedSettings] = useState<MyList | null>(null)
  const current = unsavedSettings ?? query.data?.[key] ?? DEFAULT_SETTINGS
  const saveMutation = useMutation({
    mutationFn: (settings: MyList) =>
      callApi(API_PATH, readListSettings, {
        method: 'POST',
        json: { event: event.id, list: list.id, ...settings },
      }),
    onMutate: () => queryClient.cancelQueries({ queryKey: ['my-lists'] }),
    onSuccess: (lists) => queryClient.setQueryData(['my-lists'], lists),
    onError: () => setUnsavedSettings(null),
  })
  useSignInOn401(query.error)
  const error = useSignInOn401(saveMutation.error)
  return {
    current,
    save: (change: Partial<MyList>) => {
      const next = { ...current, ...change }
      setUnsavedSettings(next)
      saveMutation.mutate(next)
    },
    error,
    dismissError: () => saveMutation.reset(),
  }
}
type ListSettings = ReturnType<typeof useListSettings>

type ListToolsProps = {
  readonly listSettings: ListSettings
  readonly list: AdminList
  /** Columns that can be added to the visible ones. */
  readonly optionalColumns: readonly Column[]
  readonly searchParams: URLSearchParams
  readonly onView: (query: string) => void
}

/** Shown next to the summary of the list. */
export function ListTools({
  listSettings,
  list,
  optionalColumns,
  searchParams,
  onView,
}: ListToolsProps) {
  return (
    <div className="tools">
      {listSettings.error && (
        <Banner text={listSettings.error.message} onDismiss={listSettings.dismissError} />
      )}
      <SavedViews
        listSettings={listSettings}
        query={buildViewQuery(list, searchParams)}
        onView={onView}
      />
      {optionalColumns.length > 0 && (
        <ColumnPicker listSettings={listSettings} optionalColumns={optionalColumns} />
      )}
    </div>
  )
}

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

function ColumnPicker({
  listSettings,
  optionalColumns,
}: Pick<ListToolsProps, 'listSettings' | 'optionalColumns'>) {
  const { columns } = listSettings.current
  // Columns and filters have the same labels. While the picker is closed, the page contains only
  // the filter's label.
  const [isOpen, setOpen] = useState(false)
  const addedCount = optionalColumns.filter(({ id }) => columns.includes(id)).length
  return (
    <details className="pick" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {addedCount === 0 ? 'Columns' : `Columns, ${addedCount} added`}
        <Icon name="chev" small />
      </summary>
      {isOpen && (
        <fieldset>
          <legend className="vh">Columns</legend>
          {optionalColumns.map(({ id, label }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={columns.includes(id)}
                onChange={({ target }) =>
                  listSettings.save({
                    columns: target.checked
                      ? [...columns, id]
                      : columns.filter((other) => other !== id),
                  })
                }
              />
              {label}
            </label>
          ))}
        </fieldset>
      )}
    </details>
  )
}

function SavedViews({
  listSettings,
  query,
  onView,
}: Pick<ListToolsProps, 'listSettings' | 'onView'> & { readonly query: string }) {
  const [name, setName] = useState('')
  const { views } = listSettings.current
  const currentView = views.find((view) => view.query === query)
  return (
    <details className="pick">
      <summary>
        {currentView === undefined ? 'Saved views' : `View: ${currentView.name}`}
        <Icon name="chev" small />
      </summary>
      <div>
        {views.length === 0 && query === '' && (
          <p className="mute">Choose filters, then save them as a view.</p>
        )}
        <ul>
          {views.map((view) => (
            <li key={view.name}>
              <button type="button" className="btn quiet sm" onClick={() => onView(view.query)}>
                {view.name}
              </button>
              <button
                type="button"
                className="plainb"
                aria-label={`Delete the view ${view.name}`}
                onClick={() =>
                  listSettings.save({ views: views.filter((other) => other !== view) })
                }
              >
                <Icon name="cross" />
              </button>
            </li>
          ))}
        </ul>
        {currentView === undefined && query !== '' && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              listSettings.save({ views: [...views, { name: name.trim(), query }] })
              setName('')
            }}
          >
            <label>
              Name of the view
              <input
                value={name}
                required
                maxLength={60}
                autoComplete="off"
                onChange={({ target }) => setName(target.value)}
              />
            </label>
            <button type="submit" className="btn line sm">
              Save view
            </button>
          </form>
        )}
      </div>
    </details>
  )
}
