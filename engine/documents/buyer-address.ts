/** Asks for the buyer's address and state where the law requires both on the invoice. */
import type { Answers, FieldErrors } from '../event/answer-types.ts'
import { shownFields } from '../answers/normalize-answers.ts'
import type { EventConfig } from '../event/config.ts'
import { buyerOf } from './documents.ts'
import type { Line } from '../pricing/bill-lines.ts'
import { fromPairs, own } from '../lib/result.ts'
import { requiresAddress, taxableValue } from './tax.ts'

/**
 * The fields that ask for address and state, where the law requires both on the invoice of this bill and one is not
 * answered (rule 46(e)). A field that these answers do not show is not asked for.
 */
export function invoiceErrors(
  event: EventConfig,
  answers: Answers,
  lines: readonly Line[],
): FieldErrors {
  const { invoice, roles } = event
  if (invoice === null) return {}
  const issuer = { invoice, roles, states: {} }
  const { gstin } = buyerOf(issuer, { answers, fullName: '', email: '' })
  if (!requiresAddress(taxableValue(lines), gstin !== null)) return {}
  const shown = shownFields(event, answers)
  return fromPairs(
    [invoice.buyer.address, invoice.buyer.state].flatMap((id) =>
      id === undefined || !shown.has(id) || String(own(answers, id) ?? '').trim() !== ''
        ? []
        : [[id, ADDRESS_REQUIRED] as const],
    ),
  )
}
const ADDRESS_REQUIRED =
  'An invoice of ₹ 50,000 or more needs this. Please fill it in, or enter a GSTIN.'
