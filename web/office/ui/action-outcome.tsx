/** The result of an action: green if it succeeded, a warning if staff must act on it. */
import { useEffect, useRef } from 'react'
import type { ActionResponse } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { isRecord } from '../../app/json-readers.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

export type Outcome = {
  readonly message: string
  readonly needsAttention: boolean
  /** Whether the payment was recorded but does not count yet. This is neither a success nor a failure. */
  readonly needsReview?: boolean
}

/** States of a refund that staff must act on. */
const FAILED_REFUNDS: readonly unknown[] = [
  'refused',
  'unsure',
] satisfies readonly ActionResponse['refund'][]

/** Parses the result of an action or a decision: a sentence from the server, and the state of the refund, if any. */
export const readOutcome: Reader<Outcome> = (body) =>
  isRecord(body) && typeof body['message'] === 'string'
    ? {
        message: body['message'],
        needsAttention: FAILED_REFUNDS.includes(body['refund']),
        needsReview: body['needs_review'] === true,
      }
    : null

/**
 * Takes focus with each new result, because the pressed button has usually disappeared. Empty if there is no
 * result.
 */
export function ActionOutcome({ outcome }: { readonly outcome: Outcome | null }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (outcome !== null) box.current?.focus()
  }, [outcome])
  return (
    <div ref={box} tabIndex={-1} className="action-outcome">
      <p role="status" className={outcome?.needsReview === true ? 'care' : 'done'}>
        {outcome?.needsReview === true && <Icon name="tri" small />}
        {outcome?.needsAttention === false && outcome.message}
      </p>
      {outcome?.needsAttention === true && (
        <p role="alert" className="failed">
          <Icon name="bang" small />
          {outcome.message}
        </p>
      )}
    </div>
  )
}
