/**
 * The hook for self-service actions: sends one request at a time, returns the result as text, and reloads after a
 * success.
 */
import { useState } from 'react'
import type { FieldErrors } from '../../engine/index.ts'
import { buildPageHeaders, call, createIdempotencyKey } from '../app/api-client.ts'
import { readActionMessage } from './self-service-api-responses.ts'
import type { PanelProps } from './panel-props.ts'

export type SelfServiceAction = {
  readonly isBusy: boolean
  /** Result of the last action. Null if there is none yet. */
  readonly message: string | null
  /** The reason why the last action failed. Null if the action succeeded. */
  readonly problem: string | null
  /** The errors of single answers in the last action, by field id. */
  readonly errors: FieldErrors
  /** Performs an action, and returns whether it succeeded. A request repeated after a timeout is performed once. */
  readonly perform: (parameters: Readonly<Record<string, unknown>>) => Promise<boolean>
  readonly setProblem: (problem: string | null) => void
}

export function useSelfServiceAction({
  path,
  reload,
}: Pick<PanelProps, 'path' | 'reload'>): SelfServiceAction {
  const [isBusy, setBusy] = useState(false)
  const [message, setMessage] = useState<string | null>(null)
  const [failure, setFailure] = useState<{
    readonly problem: string
    readonly errors: FieldErrors
  } | null>(null)
  const [unconfirmedRequest, setUnconfirmedRequest] = useState<{
    readonly message: string
    readonly key: string
  } | null>(null)
  const perform: SelfServiceAction['perform'] = async (parameters) => {
    if (isBusy) return false
    setBusy(true)
    setFailure(null)
    setMessage(null)
    const body = JSON.stringify(parameters)
    const key =
      unconfirmedRequest?.message === body ? unconfirmedRequest.key : createIdempotencyKey()
    const result = await call(`${path}acts/`, readActionMessage, {
      method: 'POST',
      json: { ...parameters, key },
      headers: buildPageHeaders(null),
    })
    setBusy(false)
    setUnconfirmedRequest(!result.ok && result.error.status === 0 ? { message: body, key } : null)
    if (result.ok) setMessage(result.value)
    else
      setFailure({
        problem: result.error.message,
        errors: result.error.errorResponse?.errors ?? {},
      })
    if (result.ok) reload()
    return result.ok
  }
  return {
    isBusy,
    message,
    problem: failure?.problem ?? null,
    errors: failure?.errors ?? {},
    perform,
    setProblem: (problem) => setFailure(problem === null ? null : { problem, errors: {} }),
  }
}
