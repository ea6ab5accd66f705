/** Compiles the approval rules of an event file. */
import type { Approval } from '../../event/approval-and-cancellation-types.ts'
import { toCondition } from './conditions.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asText,
  asTexts,
} from './read-checked-values.ts'

/** Reads "3 days"; other values are reported by the schema check. */
export function readDayCount(written: unknown): number {
  return Number.parseInt(asText(written), 10)
}

export function toApprovals(written: unknown): readonly Approval[] {
  return asList(written)
    .map(asMap)
    .map((rule) => {
      const refused = asMap(rule.if_refused)
      return {
        id: asText(rule.id),
        when: toCondition(rule.when),
        documents: asTexts(rule.documents),
        decideWithinDays: readDayCount(rule.decide_within),
        payWithinDays: readDayCount(rule.pay_within),
        ifRefused: removeUndefined({
          offer: asOptionalText(refused.offer),
          message: asOptionalText(refused.message),
        }),
      }
    })
}
