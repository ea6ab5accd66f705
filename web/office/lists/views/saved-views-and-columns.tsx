/** The user's settings for a list, stored on the server: additional columns and saved views. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminList, Column, MyList, MyListsResponse } from '../../../../engine/index.ts'
import type { OfficeEvent } from '../../../../engine/api.ts'
import type { Reader } from '../../../app/api-client.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { hasAll, isRecord, readArray, readRecord } from '../../../app/json-readers.ts'
import { callApi } from '../../office-api-and-urls.ts'
import { useSignInOn401 } from '../../expired-session.ts'
import './saved-views-and-columns.css'

const API_PATH = '/api/admin/my-lists/'
const DEFAULT_SETTINGS: MyList = { columns: [], views: [] }

const readListSettings: Reader<MyListsResponse['lists']> = (body) =>
  isRecord(body)
    ? readRecord(body['lists'], (entry) =>
        isRecord(entry) &&
        readArray(entry['columns'], (id) => (typeof id === 'string' ? id : null)) !== null &&
        readArray(entry['views'], (view) =>
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

export type ListSettings = ReturnType<typeof useListSettings>

/** Lets the user add columns to those that are always shown. */
export function ColumnPicker({
  listSettings,
  optionalColumns,
}: {
  readonly listSettings: ListSettings
  /** The columns that the user can add. */
  readonly optionalColumns: readonly Column[]
}) {
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
