/** Looking a registration up for a page: what is known of it so far, and looking once more. */
import { useCallback, useEffect, useState } from 'react'
import type { PublicEvent } from '../../engine/index.ts'
import type { FoundAnswer } from '../app/api-responses.ts'
import type { Answered, ApiError } from '../app/api-client.ts'
import type { Registration } from './result-page-data.ts'

export type Missing = {
  readonly is: 'missing'
  readonly message: string
  readonly detail: string | null
  /** Whether asking once more may help. */
  readonly again: boolean
}
export type Look<T extends FoundAnswer = FoundAnswer> =
  | { readonly is: 'loading' }
  /** `answer`: whatever else the call says. */
  | { readonly is: 'found'; readonly registration: Registration; readonly answer: T }
  /** Its number opens nothing by itself; `wrong`: the address that was given is another. */
  | { readonly is: 'asks'; readonly message: string; readonly wrong: boolean }
  | Missing

/** A call that reads a registration, or what is to be said instead of calling. */
export type Ask<T extends FoundAnswer = FoundAnswer> = (
  signal: AbortSignal,
) => Promise<Answered<T>> | Missing

/** One look at the stored registration, and another whenever `ask` changes; `again` looks once more. What is shown stays meanwhile. */
export function useLook<T extends FoundAnswer>(
  event: PublicEvent,
  ask: Ask<T>,
): readonly [Look<T>, () => void] {
  const [look, setLook] = useState<Look<T>>({ is: 'loading' })
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

/** There is none, and asking again changes nothing. */
export const unknown = (message: string): Missing => ({
  is: 'missing',
  message,
  detail: null,
  again: false,
})

/** The server's own words where it has some; else that the fetch failed, and why. */
function missing(event: PublicEvent, error: ApiError): Exclude<Look, { is: 'found' }> {
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
