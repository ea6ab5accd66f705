/** Loading of a registration for a page, with its states and retry. */
import { useCallback, useEffect, useState } from 'react'
import type { PublicEvent } from '../../engine/index.ts'
import type { FoundAnswer } from '../app/api-responses.ts'
import type { Answered, ApiError } from '../app/api-client.ts'
import type { Registration } from './result-page-data.ts'

export type Missing = {
  readonly is: 'missing'
  readonly message: string
  readonly detail: string | null
  /** Whether a retry may help. */
  readonly again: boolean
}
export type LoadState<T extends FoundAnswer = FoundAnswer> =
  | { readonly is: 'loading' }
  /** `answer`: the rest of the call's answer. */
  | { readonly is: 'found'; readonly registration: Registration; readonly answer: T }
  /** The number alone is not sufficient. `wrong`: the email address entered does not match. */
  | { readonly is: 'asks'; readonly message: string; readonly wrong: boolean }
  | Missing

/** A call that loads a registration, or the state to show instead of calling. */
export type Ask<T extends FoundAnswer = FoundAnswer> = (
  signal: AbortSignal,
) => Promise<Answered<T>> | Missing

/**
 * Loads the registration, and again whenever `ask` changes; `again` reloads it. The current content
 * stays visible meanwhile.
 */
export function useLook<T extends FoundAnswer>(
  event: PublicEvent,
  ask: Ask<T>,
): readonly [LoadState<T>, () => void] {
  const [look, setLook] = useState<LoadState<T>>({ is: 'loading' })
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const leave = new AbortController()
    const asking = ask(leave.signal)
    if ('is' in asking) {
      setLook(asking)
      return
    }
    void asking.then((answer) => {
      if (!answer.ok) {
        if (answer.error.code !== 'aborted')
          setLook((old) => (old.is === 'found' ? old : missing(event, answer.error)))
        return
      }
      const { registration } = answer.value
      setLook(
        registration === null
          ? unknown(event.results.errors.notFound)
          : { is: 'found', registration, answer: answer.value },
      )
    })
    return () => leave.abort()
  }, [event, ask, asked])
  return [look, useCallback(() => setAsked((times) => times + 1), [])]
}

/** There is no such registration; a retry would not change that. */
export const unknown = (message: string): Missing => ({
  is: 'missing',
  message,
  detail: null,
  again: false,
})

/** The server's message if there is one; otherwise that loading failed, and why. */
function missing(event: PublicEvent, error: ApiError): Exclude<LoadState, { is: 'found' }> {
  if (error.code === 'email_needed' || error.code === 'email_differs')
    return { is: 'asks', message: error.message, wrong: error.code === 'email_differs' }
  if (error.answer?.message)
    return { ...unknown(error.answer.message), again: error.status !== 404 }
  const { fetchFailed } = event.results.errors
  return {
    is: 'missing',
    message: fetchFailed,
    detail: error.message === fetchFailed ? null : error.message,
    again: true,
  }
}
