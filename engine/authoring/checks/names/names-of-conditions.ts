/** Explains common words in conditions that are not fields: an age, a full quota, the payment method, a code. */
import { METHOD_NAME } from '../../../rules/pricing-context.ts'
import type { Model } from '../../checked-file.ts'

/** Returns the correct notation for the condition, or null if the name has no common meaning. */
export function explainConditionName({ config, file, fields }: Model, name: string): string | null {
  const word = name.toLowerCase().replaceAll(/[-_ ]/g, '')
  if (/^(?:age|ageyears|yearsold)$/.test(word)) {
    const birthField = fields.find(
      ({ id, field }) => field.type === 'date' && /birth|born|dob/i.test(`${id} ${field.label}`),
    )
    return birthField === undefined
      ? 'to compare an age, use a field with the date of birth: {born_on: {age: {at_least: 60}}}'
      : `write {${birthField.id}: {age: {at_least: 60}}}`
  }
  if (
    /^(?:payment|paymentmethod|paymentmode|paidby|paymode|mode|modeofpayment|paymethod|method)$/.test(
      word,
    )
  )
    return `write an adjustment with when: {${METHOD_NAME}: ${config.methods[0]?.id ?? 'card'}}: categories, fields and items cannot depend on the payment method`
  if (/^(?:full|isfull|soldout|available|seats|availability)$/.test(word)) {
    const quota = file.quotas?.[0]?.id
    return `write {full.${quota ?? 'hall'}: true}, where \`${quota ?? 'hall'}\` is the id of a quota`
  }
  if (/^(?:coupon|couponcode|discountcode|promocode|voucher)$/.test(word)) {
    const kind = file.codes?.kinds[0]?.id
    return `write {code: ${kind ?? 'coupon'}}, where \`${kind ?? 'coupon'}\` is the id of a kind under codes`
  }
  if (/^(?:date|today|day|on|period|now)$/.test(word))
    return 'conditions cannot compare dates with today’s date: write `from` and `to` next to `when`, or prices by period'
  return null
}
