/** Loads a registration for a page, with loading states and retry. */
import { useCallback, useEffect, useState } from 'react'
import type { PublicEvent } from '../../engine/index.ts'
import type { SearchResponse } from './registration-responses.ts'
import type { CallResult, ApiError } from '../app/api-client.ts'
import type { Registration } from './result-page-data.ts'

export type LoadFailure = {
  readonly is: 'missing'
  readonly message: string
  readonly detail: string | null
  /** Whether a retry may help. */
  readonly canRetry: boolean
}
export type LoadState<T extends SearchResponse = SearchResponse> =
  | { readonly is: 'loading' }
  | { readonly is: 'found'; readonly registration: Registration; readonly response: T }
  /** The number alone is not sufficient. `wrong` is true if the typed email address does not match. */
  | { readonly is: 'asks'; readonly message: string; readonly wrong: boolean }
  | LoadFailure

/** A call that loads a registration, or the state to show instead of calling. */
export type RegistrationRequest<T extends SearchResponse = SearchResponse> = (
  signal: AbortSignal,
) => Promise<CallResult<T>> | LoadFailure

/**
 * Loads the registration, and reloads it when `request` changes or the returned function is called. The current
 * content stays visible until the response arrives.
 */
export function useRegistration<T extends SearchResponse>(
  event: PublicEvent,
  request: RegistrationRequest<T>,
): readonly [LoadState<T>, () => void] {
  const [loadState, setLoadState] = useState<LoadState<T>>({ is: 'loading' })
  const [reloadCount, setReloadCount] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    const callOrFailure = request(abort.signal)
    if ('is' in callOrFailure) {
      setLoadState(callOrFailure)
      return
    }
    void callOrFailure.then((response) => {
      if (!response.ok) {
        if (response.error.code !== 'aborted')
          setLoadState((previous) =>
            previous.is === 'found' ? previous : createLoadFailure(event, response.error),
          )
        return
      }
      const { registration } = response.value
      setLoadState(
        registration === null
          ? createNotFoundFailure(event.results.errors.notFound)
          : { is: 'found', registration, response: response.value },
      )
    })
    return () => abort.abort()
  }, [event, request, reloadCount])
  return [loadState, useCallback(() => setReloadCount((count) => count + 1), [])]
}

/** Returns the failure for a registration that does not exist; a retry would not help. */
export const createNotFoundFailure = (message: string): LoadFailure => ({
  is: 'missing',
  message,
  detail: null,
  canRetry: false,
})

/** Returns the failure with the server's message or, without one, with the reason why loading failed. */
function createLoadFailure(
  event: PublicEvent,
  error: ApiError,
): Exclude<LoadState, { is: 'found' }> {
  if (error.code === 'email_needed' || error.code === 'email_differs')
    return { is: 'asks', message: error.message, wrong: error.code === 'email_differs' }
  if (error.errorResponse?.message)
    return { ...createNotFoundFailure(error.errorResponse.message), canRetry: error.status !== 404 }
  const { fetchFailed } = event.results.errors
  return {
    is: 'missing',
    message: fetchFailed,
    detail: error.message === fetchFailed ? null : error.message,
    canRetry: true,
  }
}
