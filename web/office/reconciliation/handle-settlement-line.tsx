/** Marks a differing settlement line as handled, with a reason; the user can undo this. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FormEvent } from 'react'
import type { OfficeEvent, WireSettledLine } from '../../../engine/api.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import { useToast } from '../ui/toast.tsx'
import { readHandlingResult } from './settlement-api-responses.ts'

type LineProps = {
  readonly event: OfficeEvent
  readonly line: Pick<WireSettledLine, 'reference' | 'order_id' | 'seen' | 'handled'> & {
    readonly id: number
  }
}

export function HandleLine({ event, line }: LineProps) {
  const [reason, setReason] = useState('')
  const client = useQueryClient()
  const showToast = useToast()
  const mutation = useMutation({
    mutationFn: (reason: string | null) =>
      callApi(
        `/api/admin/settlements/handle/?event=${encodeURIComponent(event.id)}`,
        readHandlingResult,
        {
          method: 'POST',
          json: {
            line: String(line.id),
            seen: String(line.seen ?? ''),
            ...(reason !== null && { why: reason }),
          },
        },
      ),
    onSuccess: async ({ message }) => {
      showToast(message)
      await Promise.all([
        client.invalidateQueries({ queryKey: ['settlements'] }),
        client.invalidateQueries({ queryKey: ['payouts'] }),
      ])
      // The line is now in another group, and its focused button has disappeared.
      document.querySelector<HTMLElement>('#main h1')?.focus()
    },
  })
  const error = useSignInOn401(mutation.error)
  const banner = error && <Banner text={error.message} onDismiss={() => mutation.reset()} />
  const name = line.reference === '' ? line.order_id : line.reference
  if (line.handled !== null)
    return (
      <>
        <small>
          Handled: {line.handled.why} ({line.handled.who}, {formatDateTime(line.handled.at)}){' '}
          <button
            type="button"
            className="link"
            disabled={mutation.isPending}
            onClick={() => mutation.mutate(null)}
          >
            Undo<span className="vh"> for {name}</span>
          </button>
        </small>
        {banner}
      </>
    )
  const submit = (submitEvent: FormEvent): void => {
    submitEvent.preventDefault()
    mutation.mutate(reason)
  }
  return (
    <details className="choices">
      <summary>
        Mark as handled<span className="vh">: {name}</span>
      </summary>
      <form className="inline-form" onSubmit={submit}>
        <label>
          Reason
          <input
            value={reason}
            required
            maxLength={500}
            autoComplete="off"
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
        <button type="submit" className="btn line" disabled={mutation.isPending}>
          Mark as handled
        </button>
      </form>
      {banner}
    </details>
  )
}
