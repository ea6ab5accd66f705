/** Compiles the approval rules of an event file. */
import type { Approval } from '../../event/approval-and-cancellation-types.ts'
import { toCondition } from './conditions.ts'
import { removeUndefined, list, map, optionalText, text, texts } from './read-checked-values.ts'

/** Reads "3 days"; other values are reported by the schema check. */
export function readDayCount(written: unknown): number {
  return Number.parseInt(text(written), 10)
}

export function toApprovals(written: unknown): readonly Approval[] {
  return list(written)
    .map(map)
    .map((rule) => {
      const refused = map(rule.if_refused)
      return {
        id: text(rule.id),
        when: toCondition(rule.when),
        documents: texts(rule.documents),
        decideWithinDays: readDayCount(rule.decide_within),
        payWithinDays: readDayCount(rule.pay_within),
        ifRefused: removeUndefined({
          offer: optionalText(refused.offer),
          message: optionalText(refused.message),
        }),
      }
    })
}
