/** Checks EV519 to EV522: answer patterns are valid, fast, and explained to the delegate. */
import { VALID_TO_COLUMN } from '../../../rules/pricing-context.ts'
import { findPatternFault } from '../../schema/answer-pattern.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, FieldAt, Model } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'

/** Reports errors in the patterns as written, because the compiled event contains only valid patterns. */
function findPatternErrors(
  fields: readonly FieldAt[],
  faultKinds: readonly string[],
): readonly Draft[] {
  return fields.flatMap(({ raw, path, field }): Draft[] => {
    if (raw.pattern === undefined || field.pattern !== undefined) return []
    const fault = findPatternFault(raw.pattern)
    if (fault === null || !faultKinds.includes(fault.is)) return []
    const faultyPart = raw.pattern.slice(...fault.span)
    return [
      {
        at: join(path, 'pattern'),
        message: faultyPart === raw.pattern ? fault.message : `\`${faultyPart}\`: ${fault.message}`,
        ...(fault.help === undefined ? {} : { help: fault.help }),
      },
    ]
  })
}

const badPatternCheck: Check = {
  slug: 'bad-pattern',
  severity: 'error',
  why: 'An invalid pattern accepts no answer, or every answer.',
  find: ({ fieldsAndParts }) => findPatternErrors(fieldsAndParts, ['broken', 'not-read']),
}

const slowPatternCheck: Check = {
  slug: 'slow-pattern',
  severity: 'error',
  why: 'A pattern that can match the same answer in a very large number of ways blocks the browser and the server for minutes.',
  find: ({ fieldsAndParts }) => findPatternErrors(fieldsAndParts, ['slow']),
}

type FieldWithPattern = {
  readonly raw: Pick<FieldAt['raw'], 'pattern' | 'format' | 'in' | 'invalid'>
  readonly path: string
}

/** Returns the fields of the payment methods. A mismatch with the format `utr` has a message of its own. */
const listMethodFields = ({ file: { payment } }: Model): readonly FieldWithPattern[] =>
  (typeof payment === 'object' ? (payment.methods ?? []) : []).flatMap((method, index) =>
    (method.fields ?? []).flatMap((raw, fieldIndex) =>
      raw.format === 'utr' ? [] : [{ raw, path: `payment.methods.${index}.fields.${fieldIndex}` }],
    ),
  )

/** Returns true if rows of the member list expire: a number that is in the list may be rejected then. */
const hasExpiry = ({ config }: Model, listId: string | undefined): boolean =>
  config.memberLists.some(
    ({ id, columns }) => id === listId && columns.some((column) => column.id === VALID_TO_COLUMN),
  )

const patternWithoutMessageCheck: Check = {
  slug: 'pattern-without-message',
  severity: 'warning',
  why: 'A delegate whose answer is rejected needs to know the required format.',
  after: ['EV448', 'EV519', 'EV520'],
  find: (model) =>
    [...model.fieldsAndParts, ...listMethodFields(model)].flatMap(
      ({ raw, path }: FieldWithPattern): Draft[] => {
        const { source } = model
        const key = (['pattern', 'format', 'in'] as const).find(
          (candidate) => raw[candidate] !== undefined,
        )
        const getLineNumber = (at: string): number => source.place(at).start.line
        const id = join(path, 'id')
        return key === undefined || raw.invalid !== undefined
          ? []
          : [
              {
                at: join(path, key),
                part: 'entry',
                message: 'an answer that does not match is rejected without an explanation',
                related:
                  getLineNumber(id) === getLineNumber(join(path, key))
                    ? []
                    : [{ at: id, message: 'in this field' }],
                help: `write invalid: with the message, such as ${hasExpiry(model, raw.in) ? EXPIRED_MEMBER_MESSAGE : SAMPLE_MESSAGES[raw.format ?? key]}`,
              },
            ]
      },
    ),
}
const EXPIRED_MEMBER_MESSAGE =
  '"This number is not in our member list, or the membership has expired"'
const SAMPLE_MESSAGES: Readonly<Record<string, string>> = {
  pattern: '"Please write two letters and five digits, such as KA12345"',
  in: 'This number is not in our member list',
  pin: 'Please enter the six digits of the pin code',
  gstin: 'Please enter the 15 characters of the GSTIN',
  pan: 'Please enter the ten characters of the PAN',
  utr: 'Please enter the transfer reference (UTR)',
  'mobile-in': 'Please enter a ten-digit mobile number',
}

const patternAndFormatCheck: Check = {
  slug: 'pattern-and-format',
  severity: 'error',
  why: 'If two keys set the format of an answer, one of them is ignored.',
  find: ({ fieldsAndParts }) =>
    fieldsAndParts.flatMap(({ raw, path }): Draft[] =>
      raw.pattern === undefined || raw.format === undefined
        ? []
        : [
            {
              at: join(path, 'pattern'),
              part: 'entry',
              message: `\`format: ${raw.format}\` already sets the format of the answer`,
              related: [{ at: join(path, 'format'), part: 'entry', message: 'the format' }],
              help: 'remove one of the two',
            },
          ],
    ),
}

export const patternChecks = {
  EV519: badPatternCheck,
  EV520: slowPatternCheck,
  EV521: patternWithoutMessageCheck,
  EV522: patternAndFormatCheck,
} satisfies Checks
