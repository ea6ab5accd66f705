/** Defines every refusal of a registration or another payment attempt: status, code and message. */
import type { FastifyReply } from 'fastify'
import {
  listSeatPools,
  assertNever,
  buildGatewayEmailMessage,
  formatMoney,
  formatPrice,
  buildFullSeatMessage,
  getLowerCaseLabel,
} from '../../engine/index.ts'
import { toWireQuote } from '../../engine/api.ts'
import { formatMessage, SERVER_MESSAGES, UPLOAD_REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type {
  CodeStatus,
  EventConfig,
  FieldErrors,
  Quote,
  QuoteRefusal,
} from '../../engine/index.ts'
import type { BodyRefusal } from '../http/request-body.ts'
import { sendError, RETRY_SECONDS, getErrorForStatus } from '../http/error-response.ts'
import type { ErrorDetails } from '../http/error-response.ts'
import type { HandOffRefusal } from '../dependencies.ts'
import { MAX_KEY_LENGTH } from './idempotency-key.ts'
import type { RetryRefusal } from './retry-payment.ts'
import type { Difference } from './compare-displayed-price.ts'
import type { FullSeatDetails } from './seat-availability.ts'
import type { ActionDenial, ContextRefusal } from '../storage/index.ts'

/** A refusal that is not sent yet, because uploaded files of the request are removed first. */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: ErrorDetails
  /** Seconds after which to retry, for `Retry-After`; null if unknown. */
  readonly retryAfterSeconds: number | null
}

/** A gateway that does not respond is rarely available again sooner than this. */
const GATEWAY_RETRY_SECONDS = 60

function refuse(
  status: number,
  code: string,
  message: string,
  details: Refusal['details'] = {},
  retryAfterSeconds: number | null = null,
): Refusal {
  return { status, code, message, details: details, retryAfterSeconds }
}

function getRefusalForStatus(status: number): Refusal {
  const { code, message } = getErrorForStatus(status)
  return refuse(status, code, message)
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.retryAfterSeconds !== null)
    reply.header('retry-after', String(refusal.retryAfterSeconds))
  return sendError(reply, refusal.status, refusal.code, refusal.message, refusal.details)
}

export function refuseClosed(text: string): Refusal {
  return refuse(409, 'registration_closed', text)
}

/** Refuses an upload request with no file, or with several. */
export function refuseMissingFile(): Refusal {
  return refuse(422, 'bad_request', UPLOAD_REFUSAL_MESSAGES.noFile)
}

export function refuseBody(event: EventConfig, refusal: BodyRefusal): Refusal {
  const refuseUnreadable = (message: string): Refusal => refuse(400, 'bad_request', message)
  switch (refusal.code) {
    case 'too_large':
      return refuseTooLarge(event, null)
    case 'answers_too_large':
      return getRefusalForStatus(413)
    case 'file_too_large':
      return refuseTooLarge(event, refusal.field)
    case 'unsupported_media_type':
      return refuse(415, 'unsupported_media_type', SERVER_MESSAGES.request.mediaType)
    case 'not_json':
      return refuseUnreadable(SERVER_MESSAGES.request.notJson)
    case 'too_deep':
      return refuse(422, 'bad_request', SERVER_MESSAGES.request.tooDeep)
    case 'not_an_object':
      return refuse(422, 'bad_request', SERVER_MESSAGES.request.notObject)
    case 'not_multipart':
      return refuseUnreadable(SERVER_MESSAGES.request.notMultipart)
    case 'no_room': {
      const { code, message } = getErrorForStatus(507)
      return refuse(503, code, message, {}, RETRY_SECONDS[507])
    }
    case 'cut_off':
      return refuseUnreadable(SERVER_MESSAGES.request.cutOff)
    default:
      return assertNever(refusal)
  }
}

/** `id` is null if the body as a whole is too large. If the form has a file field, the file must be the reason. */
function refuseTooLarge(event: EventConfig, id: string | null): Refusal {
  const field = event.fields.find(
    ({ type, maxBytes, id: fieldId }) =>
      type === 'file' && maxBytes !== undefined && (id === null || fieldId === id),
  )
  if (field?.maxBytes === undefined) return getRefusalForStatus(413)
  const size = Math.round((field.maxBytes / 1024 / 1024) * 10) / 10
  const message = formatMessage(UPLOAD_REFUSAL_MESSAGES.tooLarge, { size })
  return refuse(413, 'file_too_large', message, { errors: { [field.id]: message } })
}

export function refuseKey(code: 'bad_idempotency_key' | 'idempotency_key_reused'): Refusal {
  return code === 'bad_idempotency_key'
    ? refuse(400, code, formatMessage(SERVER_MESSAGES.request.badKey, { max: MAX_KEY_LENGTH }))
    : refuse(422, code, SERVER_MESSAGES.request.reusedKey)
}

/** Refuses a manual registration that was resent with changes after its first response was lost. */
export function refuseResentWithChanges(): Refusal {
  return refuse(
    409,
    'idempotency_key_reused',
    'This form was already sent with different answers, and a delegate was registered. Check the list before you try again.',
  )
}

export function refuseAnswers(errors: FieldErrors): Refusal {
  const message = Object.values(errors)[0] ?? SERVER_MESSAGES.answers.missing
  return refuse(422, 'invalid_answers', message, { errors })
}

/** Refuses answers that are not in any member list, with a message for each field. */
export function refuseNotInMemberList(errors: FieldErrors): Refusal {
  return { ...refuseAnswers(errors), code: 'not_on_roll' }
}

/** Explains why a discount code has no effect. */
export function getCodeMessage(state: Exclude<CodeStatus['is'], 'valid'>): string {
  switch (state) {
    case 'unknown':
      return SERVER_MESSAGES.code.unknown
    case 'spent':
      return SERVER_MESSAGES.code.usedUp
    case 'over':
      return SERVER_MESSAGES.code.expired
    case 'withdrawn':
      return SERVER_MESSAGES.code.withdrawn
    default:
      return assertNever(state)
  }
}

export function refuseCode(state: Exclude<CodeStatus['is'], 'valid'>): Refusal {
  const message = getCodeMessage(state)
  const code = state === 'unknown' ? 'code_unknown' : 'code_spent'
  return refuse(422, code, message, { errors: { code: message } })
}

/** Refuses a desk payment that cannot be accepted. `field` is the field whose answer identifies the payment. */
export function refuseUnconfirmed(
  { code, message }: ActionDenial,
  field: string | undefined,
): Refusal {
  const text = `${message} Nothing was registered.`
  const hasField = code === 'taken' && field !== undefined
  return refuse(409, code, text, hasField ? { errors: { [field]: message } } : {})
}

/** Refuses a registration whose quota, code or unique value another registration already uses. */
export function refuseAlreadyUsed(event: EventConfig, refusal: ContextRefusal): Refusal {
  switch (refusal.code) {
    case 'registered_already': {
      const rule = event.unique[refusal.rule]
      const details: ErrorDetails = rule?.onDuplicate === 'warn' ? { may_confirm: true } : {}
      return refuse(
        409,
        refusal.code,
        rule?.message ?? SERVER_MESSAGES.answers.registeredAlready,
        details,
      )
    }
    case 'code_gone':
      return refuseCode(refusal.is)
    case 'full':
      return refuseFullQuota(event, refusal.place)
    case 'version_moved':
    case 'facts_moved': {
      const { code, message } = getErrorForStatus(503)
      return refuse(503, code, message, {}, RETRY_SECONDS[503])
    }
    default:
      return assertNever(refusal)
  }
}

export function refuseFullQuota(
  event: EventConfig,
  seatId: string,
  { quote, quantity, left }: FullSeatDetails = { quote: null, quantity: 1, left: 0 },
): Refusal {
  const seatPool = listSeatPools(event.quotas).find(({ id }) => id === seatId)
  const message =
    seatPool === undefined
      ? SERVER_MESSAGES.seats.full
      : buildFullSeatMessage(event, { ...seatPool, quantity }, left)
  const field = seatPool?.quota.eachOptionOf ?? seatPool?.quota.count
  return refuse(409, 'full', message, {
    // No alternative is offered for a full option: the delegate chooses another answer.
    ...(field !== undefined && quote === null && { errors: { [field]: message } }),
    place: seatId,
    left,
    quote: quote === null ? null : toWireQuote(quote),
  })
}

export function refuseQuote(event: EventConfig, refusal: QuoteRefusal): Refusal {
  switch (refusal.code) {
    case 'no_category': {
      const chosenField = event.categoryChoice.by === 'field' ? event.categoryChoice.field : null
      const field = event.fields.find(({ id }) => id === chosenField)
      return refuseAnswers(
        field === undefined ? {} : { [field.id]: field.required?.message ?? field.invalid },
      )
    }
    case 'registration_closed':
      return refuseClosed(refusal.text)
    case 'not_on_sale':
      return refuse(
        409,
        refusal.code,
        refusal.item === null
          ? formatMessage(SERVER_MESSAGES.seats.categoryNotOnSale, {
              category: getCategoryLabel(event, refusal.category),
              word: getLowerCaseLabel(event, 'category'),
            })
          : formatMessage(SERVER_MESSAGES.seats.itemNotOnSale, {
              item: getItemLabel(event, refusal.item, refusal.option),
            }),
        { quote: null },
      )
    default:
      return assertNever(refusal)
  }
}

/** States the price, category or period that has changed since the delegate saw it, with the current values. */
export function refuseDifference(
  event: EventConfig,
  difference: Difference,
  quote: Quote | null,
): Refusal {
  const total = quote === null ? null : formatMoney(quote.total, quote.currency)
  return refuse(409, `${difference}_changed`, describeDifference(event, difference, quote, total), {
    quote: quote === null ? null : toWireQuote(quote),
  })
}

const joinSentences = (...sentences: readonly string[]): string => sentences.join(' ')

function describeDifference(
  event: EventConfig,
  changedValue: Difference,
  quote: Quote | null,
  total: string | null,
): string {
  const { changed } = SERVER_MESSAGES
  const isFree = quote?.total === 0
  const label = getLowerCaseLabel(event, 'category')
  const totalSentence =
    total === null ? [] : isFree ? [changed.free] : [formatMessage(changed.total, { total })]
  switch (changedValue) {
    case 'price':
      return joinSentences(
        total === null || isFree ? changed.priceFree : formatMessage(changed.price, { total }),
        changed.check,
      )
    case 'category':
      return quote === null
        ? joinSentences(formatMessage(changed.otherCategory, { word: label }), changed.check)
        : joinSentences(
            formatMessage(changed.category, {
              word: label,
              category: getCategoryLabel(event, quote.category),
            }),
            ...totalSentence,
            changed.check,
          )
    case 'period':
      return joinSentences(changed.period, ...totalSentence, changed.check)
    default:
      return assertNever(changedValue)
  }
}

/** Refuses payments that the gateway would reject, before anything is stored. Changes no existing registration. */
export function refuseNotPayable(
  event: EventConfig,
  reason: HandOffRefusal,
  otherMethods: readonly string[] = [],
): Refusal {
  const { payment, writeTo } = SERVER_MESSAGES
  const { support } = event
  const contactSentence = formatMessage(writeTo, { support })
  switch (reason.code) {
    case 'no_credentials':
      return refuse(503, 'payment_unavailable', formatMessage(payment.unavailable, { support }))
    case 'email': {
      const { characters } = reason
      const message = characters === 0 ? payment.noEmail : buildGatewayEmailMessage(characters)
      const { email: id } = event.roles
      return refuse(409, 'not_payable', joinSentences(message, contactSentence), {
        ...(id !== undefined && { errors: { [id]: message } }),
      })
    }
    case 'currency':
      return refuse(
        409,
        'not_payable',
        joinSentences(
          formatMessage(payment.currency, { currency: reason.currency }),
          contactSentence,
        ),
      )
    case 'amount':
      return refuse(409, 'not_payable', joinSentences(payment.amount, contactSentence))
    case 'below_minimum':
      return refuse(
        409,
        'not_payable',
        joinSentences(
          formatMessage(payment.minimum, { amount: formatMoney(reason.minimum, event.currency) }),
          otherMethods.length === 0
            ? contactSentence
            : formatMessage(payment.chooseInstead, { methods: otherMethods.join(', ') }),
        ),
      )
    case 'order_id':
      return refuse(409, 'not_payable', joinSentences(payment.number, contactSentence))
    default:
      return assertNever(reason)
  }
}

export function refuseRetry(event: EventConfig, refusal: RetryRefusal): Refusal {
  const { payment } = SERVER_MESSAGES
  switch (refusal.code) {
    case 'nothing_due':
      return refuse(409, refusal.code, payment.nothingToPay)
    case 'wait':
      return refuse(409, refusal.code, payment.inProgress)
    case 'gateway_unsure':
      return refuse(503, refusal.code, payment.statusUnknown, {}, GATEWAY_RETRY_SECONDS)
    case 'price_moved': {
      const { was, now } = refusal
      const isMethodPriceDifference = event.fees.methods !== undefined && was.period === now.period
      return refuse(
        409,
        refusal.code,
        formatMessage(isMethodPriceDifference ? payment.priceByCard : payment.priceNotGuaranteed, {
          was: formatMoney(was.total, was.currency),
          now: formatPrice(now.total, now.currency),
        }),
        { quote: toWireQuote(now), was: toWireQuote(was) },
      )
    }
    case 'not_on_sale':
      return refuseQuote(event, refusal.why)
    case 'too_many_attempts':
      return refuse(
        409,
        refusal.code,
        formatMessage(payment.tooManyAttempts, { support: event.support }),
      )
    case 'registration_closed':
      return refuseClosed(refusal.text)
    case 'not_payable':
      return refuseNotPayable(event, refusal.why)
    case 'taken':
      return { ...refuseAlreadyUsed(event, refusal.by), status: 409 }
    default:
      return assertNever(refusal)
  }
}

function getCategoryLabel(event: EventConfig, category: string): string {
  return event.categories.find(({ id }) => id === category)?.label ?? category
}

/** Returns the name of an item for use in a sentence: the option's label if there is one, otherwise the item's. */
function getItemLabel(event: EventConfig, id: string, option: string | null): string {
  const item = event.fees.items.find((candidate) => candidate.id === id)
  const options = event.fields.find((field) => field.id === item?.by)?.options ?? []
  return options.find((candidate) => candidate.id === option)?.label ?? item?.label ?? id
}
