/**
 * Checks EV637, EV638: messages mention the subjects of their rules, and price reductions in texts agree with the file.
 */
import type { Condition } from '../../../event/answer-types.ts'
import { formatMoney, type Amount } from '../../../lib/money.ts'
import { findAmounts } from '../../prose/find-amounts.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, FieldAt, Model } from '../../checked-file.ts'
import { collectWords } from '../form/labels.ts'
import {
  TABLE_ERRORS,
  listItemCells,
  listAdjustmentAmounts,
  listTableCells,
} from '../prices/fees.ts'

type NamedEntry = { readonly id: string; readonly label: string }
/** Ids shorter than this, such as `full`, are ignored because they may be ordinary words of a sentence. */
const MIN_ID_LENGTH = 6
const listNames = (list: readonly NamedEntry[]): readonly (readonly string[])[] =>
  list.map(({ id, label }) =>
    id.length < MIN_ID_LENGTH ? [label] : [label, id.replaceAll(/[-_]/g, ' ')],
  )
const findNamedEntries = (list: readonly NamedEntry[], text: string): readonly NamedEntry[] =>
  findAllNamed(listNames(list), text).flatMap((index) => list[index] ?? [])

/**
 * Returns the values of a field that a condition accepts. The list is empty if the condition does not test the field.
 */
const listAcceptedValues = (when: Condition | undefined, id: string): readonly string[] =>
  (when ?? []).flatMap((map) =>
    map.flatMap(({ field, test }) =>
      field === id && test.is === 'in' ? test.values.map(String) : [],
    ),
  )

const reportWrongNames = (
  at: string,
  wrongEntries: readonly NamedEntry[],
  rightEntries: readonly NamedEntry[],
  related: string,
): readonly Draft[] =>
  wrongEntries.length === 0
    ? []
    : [
        {
          at,
          message: `the message mentions ${formatList(
            wrongEntries.map(({ label }) => `“${label}”`),
            3,
          )}, but the rule is about ${formatList(
            rightEntries.map(({ label }) => `“${label}”`),
            3,
          )}`,
          related: [{ at: related, message: 'the rule' }],
          help: 'mention the same options, categories or fields as the rule',
        },
      ]

/** Reports a message about mutually exclusive options that mentions other options. */
function checkChoiceMessage({ raw, path, field }: FieldAt): readonly Draft[] {
  const { mutually_exclusive: groups, message } = raw.choose ?? {}
  if (groups === undefined || message === undefined) return []
  const options = field.options ?? []
  const exclusiveOptions = options.filter(({ id }) => groups.some((group) => group.includes(id)))
  const namedOptions = findNamedEntries(options, message)
  const wrongOptions = namedOptions.filter((option) => !exclusiveOptions.includes(option))
  return reportWrongNames(
    `${path}.choose.message`,
    wrongOptions,
    exclusiveOptions,
    `${path}.choose.mutually_exclusive`,
  )
}

/** Reports the message of a required question if it mentions only answers for which the question is not shown. */
function checkRequiredMessage({ config, fields }: Model, entry: FieldAt): readonly Draft[] {
  const { raw, path, field } = entry
  const required = raw.required
  const [text, at] =
    typeof required === 'string'
      ? [required, `${path}.required`]
      : typeof required === 'object' && required.message !== undefined
        ? [required.message, `${path}.required.message`]
        : [null, '']
  const when =
    typeof required === 'object'
      ? field.required?.when
      : (field.showWhen ?? config.sections[field.section]?.showWhen)
  if (text === null || when === undefined) return []
  const lists: readonly (readonly [string, readonly NamedEntry[]])[] = [
    ['category', config.categories],
    ...fields.flatMap((other): [string, readonly NamedEntry[]][] =>
      other.field.type === 'select' && other.field.options !== undefined
        ? [[other.id, other.field.options]]
        : [],
    ),
  ]
  return lists.flatMap(([id, list]) => {
    const values = listAcceptedValues(when, id)
    const expectedEntries = list.filter((option) => values.includes(option.id))
    const namedEntries = findNamedEntries(list, text)
    return expectedEntries.length === 0 ||
      namedEntries.some((option) => expectedEntries.includes(option))
      ? []
      : reportWrongNames(
          at,
          namedEntries,
          expectedEntries,
          `${path}.${typeof required === 'object' ? 'required' : 'show_when'}`,
        )
  })
}

/** Nouns for the subject of a quota. A message that mentions one of them is wrong for a quota with another subject. */
const QUOTA_SUBJECT_WORDS =
  /^(?:room|bed|dinner|workshop|boat|bus|stall|trip|tour|lunch|course|hostel|shirt|masterclass|banquet|contest|evening|party)$/
const findQuotaSubjects = (text: string): readonly string[] =>
  [...collectWords(text.replaceAll(/[-_]/g, ' '))].filter((word) => QUOTA_SUBJECT_WORDS.test(word))

/** Reports messages of full quotas that mention options or categories other than those of the quota and its offer. */
function checkQuotaMessages(model: Model): readonly Draft[] {
  const { file, config, fields } = model
  return (file.quotas ?? []).flatMap((quota, index): readonly Draft[] => {
    const { id, each_option_of: by, count, full } = quota
    const text = typeof full === 'string' ? full : full.message
    if (text === undefined) return []
    const at = `quotas.${index}.full${typeof full === 'string' ? '' : '.message'}`
    // “No workshop” is not the name of a workshop.
    const options = (fields.find((field) => field.id === by)?.field.options ?? []).filter(
      (option) =>
        !/^(?:none|no\b|not\b)/i.test(option.id) && !/^(?:none|no|not)\b/i.test(option.label),
    )
    const optionsInMessage = findNamedEntries(options, text)
    if (optionsInMessage.length > 0 && optionsInMessage.length < options.length)
      return reportWrongNames(
        at,
        optionsInMessage,
        options.filter((option) => !optionsInMessage.includes(option)),
        `quotas.${index}.each_option_of`,
      )
    const when = config.quotas[index]?.when
    const ownCategories = listAcceptedValues(when, 'category')
    if (ownCategories.length > 0) {
      const allowedCategories = [...ownCategories, config.quotas[index]?.full.offer]
      const categories = findNamedEntries(config.categories, text)
      return reportWrongNames(
        at,
        categories.filter((category) => !allowedCategories.includes(category.id)),
        config.categories.filter((category) => allowedCategories.includes(category.id)),
        `quotas.${index}.when`,
      )
    }
    const testedFields = [
      ...(when ?? []).flatMap((map) => map.map(({ field }) => field)),
      ...(count === undefined ? [] : [count]),
      ...(by === undefined ? [] : [by]),
    ]
    const ownSubjects = findQuotaSubjects(
      [
        id,
        ...testedFields,
        ...fields
          .filter((field) => testedFields.includes(field.id))
          .map(({ field }) => field.label),
      ].join(' '),
    )
    const statedSubjects = findQuotaSubjects(text)
    return ownSubjects.length === 0 ||
      statedSubjects.length === 0 ||
      statedSubjects.some((subject) => ownSubjects.includes(subject))
      ? []
      : reportWrongNames(
          at,
          statedSubjects.map((label) => ({ id: label, label })),
          ownSubjects.map((label) => ({ id: label, label })),
          `quotas.${index}.id`,
        )
  })
}

/** Reports refusal messages that mention a category that is not offered and to which the rule does not apply. */
function checkRefusalMessages({ file, config }: Model): readonly Draft[] {
  return (file.approval ?? []).flatMap(({ if_refused: refused }, index) => {
    const { offer, message } = refused ?? {}
    if (offer === undefined || message === undefined) return []
    const acceptedCategories = [
      offer,
      ...listAcceptedValues(config.approvals[index]?.when, 'category'),
    ]
    const namedCategories = findNamedEntries(config.categories, message)
    return reportWrongNames(
      `approval.${index}.if_refused.message`,
      namedCategories.filter(({ id }) => !acceptedCategories.includes(id)),
      config.categories.filter(({ id }) => id === offer),
      `approval.${index}.if_refused.offer`,
    )
  })
}

/** Synonyms that messages may use for an answer, by field type. */
const ANSWER_SYNONYMS: Readonly<Record<string, string>> = {
  email: 'email mail address',
  phone: 'phone mobile telephone number',
}
/** Words that occur in the messages of all rules. */
const FILLER_WORDS =
  /^(?:this|that|the|an?|is|are|has|have|been|already|registered|registering|registration|register|again|you|your|we|us|it|its|to|of|with|for|on|in|and|or|delegate|somebody|someone|person|there|once|more|please|another|number|no|id|link|sent|seat|time|second)$/

/** Reports the message of a `unique` rule if it mentions fields, but none of the rule's fields. */
function checkUniqueMessages({ file, fields }: Model): readonly Draft[] {
  const collectFieldWords = ({ id, field }: FieldAt): ReadonlySet<string> =>
    new Set(
      [
        ...collectWords(
          `${id.replaceAll('_', ' ')} ${field.label} ${ANSWER_SYNONYMS[field.type] ?? (/phone|mobile/i.test(id) ? (ANSWER_SYNONYMS.phone ?? '') : '')}`,
        ),
      ].filter((word) => !FILLER_WORDS.test(word)),
    )
  return (file.unique ?? []).flatMap(({ fields: ids, message }, index) => {
    const ruleFields = fields.filter(({ id }) => ids.includes(id))
    const words = [...collectWords(message ?? '')].filter((word) => !FILLER_WORDS.test(word))
    if (
      ruleFields.length === 0 ||
      words.some((word) => ruleFields.some((field) => collectFieldWords(field).has(word)))
    )
      return []
    const namedFields = fields.filter((field) =>
      words.some((word) => collectFieldWords(field).has(word)),
    )
    const toNamedEntry = ({ id, field }: FieldAt): NamedEntry => ({ id, label: field.label })
    return reportWrongNames(
      `unique.${index}.message`,
      namedFields.slice(0, 1).map(toNamedEntry),
      ruleFields.map(toNamedEntry),
      `unique.${index}.fields`,
    )
  })
}

const messageNamesOtherOptionCheck: Check = {
  slug: 'message-names-other-option',
  severity: 'warning',
  why: 'Delegates would change the answer that the message mentions, and be refused again.',
  after: ['EV201', 'EV202', 'EV203', 'EV206', 'EV216', 'EV535'],
  find: (model) => [
    ...model.fields.flatMap((field) => [
      ...checkChoiceMessage(field),
      ...checkRequiredMessage(model, field),
    ]),
    ...checkQuotaMessages(model),
    ...checkRefusalMessages(model),
    ...checkUniqueMessages(model),
  ],
}

const REDUCTION_WORDS =
  /^\s*(?:\/-\s*)?(?:less\b(?! than)|off\b|discounts?\b|concession|cheaper|reduction|rebate)/i
const REDUCTION_AMOUNT = /\b(?:discount|concession|rebate|reduction)\s*(?:of|:|–|-|is)?\s*$/i
/** Words for reductions by other companies, or of something other than registration. */
const OTHER_GRANTOR_WORDS =
  /\b(?:hotels?|rooms?|travel|rail\w*|airlines?|flights?|books?|journals?|publisher|shop|store|membership|next|last|previous|up ?to|coupon of|stalls?|proceedings|on sale|refund\w*|cancel\w*)\b/i

const textReductionMismatchCheck: Check = {
  slug: 'text-reduction-mismatch',
  severity: 'warning',
  why: 'Delegates insist on the reduction that they were promised.',
  after: [...TABLE_ERRORS, 'EV401', 'EV455', 'EV456', 'EV475'],
  find: (model) => {
    const { config } = model
    if (config.status === 'closed' || config.fees.prices === null) return []
    const cells = [...listTableCells(model), ...listItemCells(model)].flatMap(
      ({ amount, currency }) =>
        amount === null || amount === 0 ? [] : [{ amount: amount as Amount, currency }],
    )
    const deductions = listAdjustmentAmounts(model).flatMap(
      ({ adjustment, amount, currency, at }) =>
        amount === null ? [] : [{ adjustment, amount: Math.abs(amount), currency, at }],
    )
    return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
      /^(?:admin|cancellation)\./.test(path)
        ? []
        : findAmounts(text, config.currency).flatMap((statedAmount): Draft[] => {
            const { textBefore, textAfter, start, end, amount, currency } = statedAmount
            if (!REDUCTION_WORDS.test(textAfter) && !REDUCTION_AMOUNT.test(textBefore)) return []
            if (OTHER_GRANTOR_WORDS.test(`${heading} ${textBefore} ${textAfter}`)) return []
            const field = model.fields.find((candidate) => path.startsWith(`${candidate.path}.`))
            const fieldDeductions = deductions.filter(({ adjustment }) =>
              (config.fees.adjustments[adjustment]?.when ?? []).some((map) =>
                map.some((test) => test.field === field?.id),
              ),
            )
            const relevantDeductions = fieldDeductions.length > 0 ? fieldDeductions : deductions
            const isGranted =
              relevantDeductions.some(
                (candidate) => candidate.currency === currency && candidate.amount === amount,
              ) ||
              (fieldDeductions.length === 0 &&
                cells.some((candidate) =>
                  cells.some(
                    (other) =>
                      candidate.currency === currency &&
                      other.currency === currency &&
                      candidate.amount - other.amount === amount,
                  ),
                ))
            const [fieldDeduction] = fieldDeductions
            return isGranted
              ? []
              : [
                  {
                    at: path,
                    span: [at + start, at + end],
                    message:
                      fieldDeduction === undefined
                        ? `the text promises a reduction of ${formatMoney(amount, currency)}, but no adjustment in the file deducts this amount`
                        : `the text promises a reduction of ${formatMoney(amount, currency)}, but \`${config.fees.adjustments[fieldDeduction.adjustment]?.id ?? ''}\` deducts ${formatMoney(fieldDeduction.amount as Amount, fieldDeduction.currency)}`,
                    related:
                      fieldDeduction === undefined
                        ? []
                        : [{ at: fieldDeduction.at, message: 'the deducted amount' }],
                    help:
                      fieldDeduction === undefined
                        ? 'deduct the amount with an adjustment, or correct the text'
                        : 'write the same amount in both places',
                  },
                ]
          }),
    )
  },
}

export const messageChecks = {
  EV637: messageNamesOtherOptionCheck,
  EV638: textReductionMismatchCheck,
} satisfies Checks
