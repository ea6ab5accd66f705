/** Compiles the approval rules of an event file. */
import type { Approval } from '../../event/approval-and-cancellation-types.ts'
import { toCondition } from './conditions.ts'
import { given, list, map, maybe, text, texts } from './read-checked-values.ts'

/** Reads "3 days"; other values are reported by the schema check. */
export function daysOf(written: unknown): number {
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
        decideWithinDays: daysOf(rule.decide_within),
        payWithinDays: daysOf(rule.pay_within),
        ifRefused: given({ offer: maybe(refused.offer), message: maybe(refused.message) }),
      }
    })
}
