/**
 * The user's settings of a list: additional columns and saved views.
 * Stored on the server, so that they apply in every browser.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminList, Column, MyList, MyListsAnswer } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { hasAll, isRecord, listOf, recordOf } from '../../app/json-readers.ts'
import { ASKED_BESIDE, ask } from '../office-api-and-urls.ts'
import { useLeaveOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import './saved-views-and-columns.css'

const PATH = '/api/admin/my-lists/'
const NONE: MyList = { columns: [], views: [] }

const readMyLists: Reader<MyListsAnswer['lists']> = (body) =>
  isRecord(body)
    ? recordOf(body['lists'], (one) =>
        isRecord(one) &&
        listOf(one['columns'], (id) => (typeof id === 'string' ? id : null)) !== null &&
        listOf(one['views'], (view) =>
          isRecord(view) && hasAll(view, 'string', 'name', 'query') ? view : null,
        ) !== null
          ? (one as MyList)
          : null,
      )
    : null

/**
 * A user's settings of a list, and how to change them. If they cannot be loaded, the defaults
 * apply.
 */
export function useMyList(event: OfficeEvent, list: AdminList) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['my-lists'],
    queryFn: ({ signal }) => ask(PATH, readMyLists, { signal }),
    staleTime: Infinity,
  })
  const key = `${event.id}/${list.id}`
  // A change takes effect immediately, before the server has confirmed it.
  const [chosen, setChosen] = useState<MyList | null>(null)
  const mine = chosen ?? query.data?.[key] ?? NONE
  const keeping = useMutation({
    mutationFn: (kept: MyList) =>
      ask(PATH, readMyLists, { method: 'POST', json: { event: event.id, list: list.id, ...kept } }),
    onMutate: () => client.cancelQueries({ queryKey: ['my-lists'] }),
    onSuccess: (lists) => client.setQueryData(['my-lists'], lists),
    onError: () => setChosen(null),
  })
  useLeaveOn401(query.error)
  const refused = useLeaveOn401(keeping.error)
  return {
    mine,
    keep: (change: Partial<MyList>) => {
      const next = { ...mine, ...change }
      setChosen(next)
      keeping.mutate(next)
    },
    refused,
    forget: () => keeping.reset(),
  }
}
type Kept = ReturnType<typeof useMyList>

type ToolsProps = {
  readonly kept: Kept
  readonly list: AdminList
  /** Columns that can be added to the visible ones. */
  readonly more: readonly Column[]
  readonly search: URLSearchParams
  readonly onView: (query: string) => void
}

/** Shown beside the summary of the list. */
export function ListTools({ kept, list, more, search, onView }: ToolsProps) {
  return (
    <div className="tools">
      {kept.refused && <Banner text={kept.refused.message} onDismiss={kept.forget} />}
      <Views kept={kept} query={viewIn(list, search)} onView={onView} />
      {more.length > 0 && <MoreColumns kept={kept} more={more} />}
    </div>
  )
}

/** Filters and sorting from the URL, without search (it may contain a name) and page number. */
function viewIn(list: AdminList, search: URLSearchParams): string {
  const names = [
    ...list.filters.filter(({ kind }) => kind !== 'search').map(({ sentAs }) => sentAs),
    ...ASKED_BESIDE,
    'sort',
  ]
  const said = names.flatMap((name) => {
    const value = search.get(name)
    return value ? [[name, value]] : []
  })
  return new URLSearchParams(said).toString()
}

function MoreColumns({ kept, more }: Pick<ToolsProps, 'kept' | 'more'>) {
  const { columns } = kept.mine
  // Columns have the same names as filters: while this is closed, a label refers to the filter.
  const [isOpen, setOpen] = useState(false)
  const shown = more.filter(({ id }) => columns.includes(id)).length
  return (
    <details className="pick" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {shown === 0 ? 'Columns' : `Columns, ${shown} added`}
        <Icon name="chev" small />
      </summary>
      {isOpen && (
        <fieldset>
          <legend className="vh">Columns</legend>
          {more.map(({ id, label }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={columns.includes(id)}
                onChange={({ target }) =>
                  kept.keep({
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

function Views({
  kept,
  query,
  onView,
}: Pick<ToolsProps, 'kept' | 'onView'> & { readonly query: string }) {
  const [name, setName] = useState('')
  const { views } = kept.mine
  const here = views.find((view) => view.query === query)
  return (
    <details className="pick">
      <summary>
        {here === undefined ? 'Saved views' : `View: ${here.name}`}
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
                onClick={() => kept.keep({ views: views.filter((other) => other !== view) })}
              >
                <Icon name="cross" />
              </button>
            </li>
          ))}
        </ul>
        {here === undefined && query !== '' && (
          <form
            onSubmit={(submitted) => {
              submitted.preventDefault()
              kept.keep({ views: [...views, { name: name.trim(), query }] })
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
