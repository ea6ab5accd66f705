/** Names and values of the pricing context in conditions: codes, payment methods, full quotas, member lists. */
import type { EventConfig } from '../../../event/config.ts'
import {
  CODE_NAME,
  METHOD_NAME,
  METHOD_FIELD,
  getMemberListValueName,
} from '../../../rules/pricing-context.ts'
import {
  createContextAxis,
  listFullSeatNames,
  findMemberListColumn,
} from '../../proofs/fields-in-conditions.ts'
import type { Draft } from '../../finding.ts'
import type { Model } from '../../checked-file.ts'
import { reportUnknownNames, type UsedName } from './unknown-names.ts'

/** Returns the names of the context values that conditions may use in addition to the form's fields. */
export function listContextNames(event: EventConfig): readonly string[] {
  const columns = event.fields.flatMap((field) =>
    (event.memberLists.find(({ id }) => id === field.roll)?.columns ?? []).flatMap(({ id, type }) =>
      type === 'choice' ? [getMemberListValueName(field.id, id)] : [],
    ),
  )
  return [
    ...(event.codeKinds.length > 0 ? [CODE_NAME] : []),
    ...(event.fees.methods === undefined ? [] : [METHOD_NAME]),
    ...listFullSeatNames(event.quotas),
    ...columns,
  ]
}

/** Returns the message for a name in a condition that is neither a field nor a context value. */
export function explainUnknownName({ config }: Model, name: string): string {
  if (name === METHOD_NAME)
    return 'only conditions of adjustments (fees.adjustments) can test the payment method'
  if (name === METHOD_FIELD && config.methods.length > 0)
    return `there is no field \`${name}\`: conditions of adjustments call the payment method \`${METHOD_NAME}\``
  if (name === 'code') return 'there are no codes: `codes` defines no kinds'
  if (name.startsWith('full.')) return `there is no quota \`${name.slice('full.'.length)}\``
  const [field = '', column] = name.split('.')
  const usedField = config.fields.find((candidate) => candidate.id === field)
  const memberList = config.memberLists.find(({ id }) => id === usedField?.roll)
  if (column !== undefined && usedField !== undefined && memberList === undefined)
    return usedField.roll === undefined
      ? `\`${field}\` is not looked up in a member list: only a field with \`in\` has columns`
      : `\`${name}\` is unknown: there is no member list \`${usedField.roll}\``
  if (column !== undefined && memberList !== undefined)
    return memberList.columns.some(({ id }) => id === column)
      ? `the column \`${column}\` of the member list \`${memberList.id}\` can contain any text; a condition needs a column with a list of values`
      : `the member list \`${memberList.id}\` has no column \`${column}\``
  return `there is no field \`${name}\``
}

/** Reports values in a condition that the compared context value can never have. */
export function findUnknownContextValues(
  model: Model,
  name: string,
  usedValues: readonly UsedName[],
): readonly Draft[] {
  const { config } = model
  const column = findMemberListColumn(config, name)
  if (name === 'code' && config.codeKinds.length > 0)
    return reportUnknownNames(
      model,
      usedValues,
      config.codeKinds.map(({ id }) => id),
      (kind) => `there is no code kind \`${kind}\``,
    )
  if (name === METHOD_NAME && config.fees.methods !== undefined)
    return reportUnknownNames(
      model,
      usedValues,
      config.fees.methods.map(({ id }) => id),
      (method) => `there is no payment method \`${method}\``,
    )
  if (column !== null)
    return reportUnknownNames(
      model,
      usedValues,
      column.options,
      (value) => `\`${value}\` is not a value of \`${name}\``,
    )
  return createContextAxis(config, name) === null
    ? []
    : usedValues.map(({ at, name: value }) => ({
        at,
        message: `\`${name}\` is true when the quota is full; it is never \`${value}\``,
        help: 'write `true`, or {not: true}',
      }))
}
