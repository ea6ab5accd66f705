/** Reads and validates payment claims: the fields of a payment method, from delegates and staff. */
import { SERVER_MESSAGES } from '../text-catalogue/server-messages.ts'
import type { Answers, FieldErrors, RawAnswers } from '../event/answer-types.ts'
import { checkAnswers } from '../answers/normalize-answers.ts'
import type { EventConfig } from '../event/config.ts'
import type { Field } from '../event/form-types.ts'
import type { OfficeMethod, TransferMethod } from '../event/payment-method-types.ts'
import { err, ok, getOwn, type Result } from '../lib/result.ts'
import { memoize } from '../lib/memoize.ts'
import { isDay, type Day, type Instant } from '../lib/time.ts'
import { findEarlyPayment } from './manual-payment.ts'

export type PaymentClaim = {
  /** The answers to the method's fields, by field. The answer of a file field is the file's name. */
  readonly answers: Answers
  readonly reference: string
  /** Null if the method does not ask for the date. */
  readonly paidOn: Day | null
}

/**
 * Reads a payment claim of a registration made at `createdAt`. `raw` contains the answers by field. The payment date
 * must be one that staff can confirm: not in the future, and not long before the registration.
 */
export function readPaymentClaim(
  event: EventConfig,
  method: TransferMethod,
  raw: RawAnswers,
  { createdAt, today }: { readonly createdAt: Instant; readonly today: Day },
): Result<PaymentClaim, FieldErrors> {
  const answers = readMethodFields(event, method, raw, today)
  if (!answers.ok) return answers
  const reference = getOwn(answers.value, method.reference)
  const day = method.day === undefined ? undefined : getOwn(answers.value, method.day)
  const paidOn = typeof day === 'string' && isDay(day) ? day : null
  if (typeof reference !== 'string')
    return err({ [method.reference]: SERVER_MESSAGES.selfService.referenceMissing })
  if (
    method.day !== undefined &&
    paidOn !== null &&
    findEarlyPayment(event, createdAt, paidOn) !== null
  )
    return err({ [method.day]: SERVER_MESSAGES.selfService.dayTooEarly })
  return ok({ answers: answers.value, reference: reference.replaceAll(/\s+/g, ' '), paidOn })
}

/** Reads and validates the fields of a method. Dates must not be in the future. */
export function readMethodFields(
  event: EventConfig,
  method: TransferMethod | OfficeMethod,
  raw: RawAnswers,
  today: Day,
): Result<Answers, FieldErrors> {
  const answers = checkAnswers(toMethodForm(event)(method), raw)
  if (!answers.ok) return answers
  const futureDayField = method.fields.find(({ id, type }) => {
    const answer = getOwn(answers.value, id)
    return type === 'date' && typeof answer === 'string' && answer > today
  })
  return futureDayField === undefined
    ? answers
    : err({ [futureDayField.id]: SERVER_MESSAGES.selfService.dayInFuture })
}

/**
 * Describes the answers to an office method's fields for staff, without the reference and files: "Bank: SBI Koti".
 * Empty if there are none.
 */
export function describeMethodFields(
  { fields, reference }: OfficeMethod,
  answers: Answers,
): string {
  return fields
    .flatMap(({ id, type, label, options }) => {
      const answer = getOwn(answers, id)
      if (id === reference || type === 'file' || answer === undefined || answer === '') return []
      const text = options?.find((option) => option.id === answer)?.label ?? String(answer)
      return [`${label}: ${text}`]
    })
    .join(', ')
}

/**
 * Returns an event with a method's fields as its form, so that they are validated like any form.
 */
const toMethodForm = memoize((event: EventConfig) =>
  memoize((method: TransferMethod | OfficeMethod): EventConfig => ({
    ...event,
    fields: method.fields,
    sections: [{ title: method.label, fields: method.fields.map(({ id }) => id) }],
    categoryChoice: { by: 'rules', rules: [] },
    codeKinds: [],
    memberLists: [],
  })),
)

/**
 * Returns the name under which a method's file is stored with the form's files, whose names contain
 * no dot.
 */
export function getMethodFileName(
  method: Pick<TransferMethod, 'id'>,
  field: Pick<Field, 'id'>,
): string {
  return `${method.id}.${field.id}`
}

/** Lists the file fields of all methods, with the names under which their files are stored. */
export const listMethodFiles = memoize(({ methods }: EventConfig): readonly Field[] =>
  methods.flatMap((method) =>
    method.is !== 'transfer'
      ? []
      : method.fields.flatMap((field) =>
          field.type === 'file' ? [{ ...field, id: getMethodFileName(method, field) }] : [],
        ),
  ),
)
