/** Defines every refusal of registering and paying again: status, code and message. */
import type { FastifyReply } from 'fastify'
import {
  allSeatPools,
  assertNever,
  emailNotForGateway,
  formatMoney,
  formatPrice,
  rupees,
  fullSeatMessage,
  lowerCaseLabel,
} from '../../engine/index.ts'
import { toWireLines } from '../../engine/api.ts'
import { formatMessage, REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type {
  CodeStatus,
  EventConfig,
  FieldErrors,
  Quote,
  QuoteRefusal,
} from '../../engine/index.ts'
import type { WireQuote } from '../../engine/api.ts'
import type { BodyRefusal } from '../http/request-body.ts'
import { refuse, RETRY_SECONDS, toldOf } from '../http/error-response.ts'
import type { More } from '../http/error-response.ts'
import type { HandOffRefusal } from '../dependencies.ts'
import { KEY_LENGTH_MAX } from './idempotency-key.ts'
import type { PayAgainRefusal } from './retry-payment.ts'
import type { Difference } from './compare-displayed-price.ts'
import type { ActionDenial, OutsideRefusal } from '../storage/index.ts'

/** A refusal before it is sent: uploaded files of the request are removed first. */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly more: More
  /** Seconds after which to retry, for `Retry-After`; null: unknown. */
  readonly againSeconds: number | null
}

/** A gateway that does not respond is rarely back sooner. */
const UNSURE_SECONDS = 60

function said(
  status: number,
  code: string,
  message: string,
  more: Refusal['more'] = {},
  againSeconds: number | null = null,
): Refusal {
  return { status, code, message, more, againSeconds }
}

function saidOf(status: number): Refusal {
  const { code, message } = toldOf(status)
  return said(status, code, message)
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.againSeconds !== null) reply.header('retry-after', String(refusal.againSeconds))
  return refuse(reply, refusal.status, refusal.code, refusal.message, refusal.more)
}

export function closedRefused(text: string): Refusal {
  return said(409, 'registration_closed', text)
}

/** An upload request with no file, or with several. */
export function noFileRefused(): Refusal {
  return said(422, 'bad_request', REFUSAL_MESSAGES.request.noFile)
}

export function bodyRefused(event: EventConfig, refusal: BodyRefusal): Refusal {
  const unreadable = (message: string): Refusal => said(400, 'bad_request', message)
  switch (refusal.code) {
    case 'too_large':
      return tooLarge(event, null)
    case 'answers_too_large':
      return saidOf(413)
    case 'file_too_large':
      return tooLarge(event, refusal.field)
    case 'unsupported_media_type':
      return saidOf(415)
    case 'not_json':
      return unreadable(REFUSAL_MESSAGES.request.notJson)
    case 'too_deep':
      return said(422, 'bad_request', REFUSAL_MESSAGES.request.tooDeep)
    case 'not_an_object':
      return said(422, 'bad_request', REFUSAL_MESSAGES.request.notObject)
    case 'not_multipart':
      return unreadable(REFUSAL_MESSAGES.request.notMultipart)
    case 'no_room': {
      const { code, message } = toldOf(507)
      return said(503, code, message, {}, RETRY_SECONDS[507])
    }
    case 'cut_off':
      return unreadable(REFUSAL_MESSAGES.request.cutOff)
    default:
      return assertNever(refusal)
  }
}

/** `id` null: the body as a whole is too large. If the form has a file field, the file must be the reason. */
function tooLarge(event: EventConfig, id: string | null): Refusal {
  const field = event.fields.find(
    (one) => one.type === 'file' && one.bytesMax !== undefined && (id === null || one.id === id),
  )
  if (field?.bytesMax === undefined) return saidOf(413)
  const size = Math.round((field.bytesMax / 1024 / 1024) * 10) / 10
  const message = formatMessage(REFUSAL_MESSAGES.answers.fileTooLarge, { size })
  return said(413, 'file_too_large', message, { errors: { [field.id]: message } })
}

export function keyRefused(code: 'bad_idempotency_key' | 'idempotency_key_reused'): Refusal {
  return code === 'bad_idempotency_key'
    ? said(400, code, formatMessage(REFUSAL_MESSAGES.request.badKey, { max: KEY_LENGTH_MAX }))
    : said(422, code, REFUSAL_MESSAGES.request.reusedKey)
}

/** A manual registration that got no response and was resent with changes. */
export function sentBefore(): Refusal {
  return said(
    409,
    'idempotency_key_reused',
    'This form was already sent with other answers, and registered a delegate. Check the list before you try again.',
  )
}

export function answersRefused(errors: FieldErrors): Refusal {
  const message = Object.values(errors)[0] ?? REFUSAL_MESSAGES.answers.missing
  return said(422, 'invalid_answers', message, { errors })
}

/** Answers that are on no member list, with the message of each field. */
export function notInMemberList(errors: FieldErrors): Refusal {
  return { ...answersRefused(errors), code: 'not_on_roll' }
}

/** Explains why a code gives nothing. */
export function codeSentence(is: Exclude<CodeStatus['is'], 'valid'>): string {
  switch (is) {
    case 'unknown':
      return REFUSAL_MESSAGES.code.unknown
    case 'spent':
      return REFUSAL_MESSAGES.code.usedUp
    case 'over':
      return REFUSAL_MESSAGES.code.expired
    case 'withdrawn':
      return REFUSAL_MESSAGES.code.withdrawn
    default:
      return assertNever(is)
  }
}

export function codeRefused(is: Exclude<CodeStatus['is'], 'valid'>): Refusal {
  const message = codeSentence(is)
  const code = is === 'unknown' ? 'code_unknown' : 'code_spent'
  return said(422, code, message, { errors: { code: message } })
}

/** A payment in hand that cannot be accepted; `asked`: the field whose answer identifies the payment. */
export function notConfirmed({ code, message }: ActionDenial, asked: string | undefined): Refusal {
  const text = `${message} Nothing was registered.`
  const isKnown = code === 'taken' && asked !== undefined
  return said(409, code, text, isKnown ? { errors: { [asked]: message } } : {})
}

/** A quota, code or unique value that somebody else has taken, just now or long ago. */
export function outsideRefused(event: EventConfig, refusal: OutsideRefusal): Refusal {
  switch (refusal.code) {
    case 'registered_already': {
      const rule = event.unique[refusal.rule]
      const more: More = rule?.onDuplicate === 'warn' ? { may_confirm: true } : {}
      return said(
        409,
        refusal.code,
        rule?.message ?? REFUSAL_MESSAGES.answers.registeredAlready,
        more,
      )
    }
    case 'code_gone':
      return codeRefused(refusal.is)
    case 'full':
      return fullRefused(event, refusal.place)
    case 'version_moved':
    case 'facts_moved': {
      const { code, message } = toldOf(503)
      return said(503, code, message, {}, RETRY_SECONDS[503])
    }
    default:
      return assertNever(refusal)
  }
}

/** `quote`: the price under the category that is offered instead; left out: nothing is offered. */
export function fullRefused(
  event: EventConfig,
  place: string,
  quote: Quote | null = null,
): Refusal {
  const gone = allSeatPools(event.quotas).find(({ id }) => id === place)
  const message = gone === undefined ? REFUSAL_MESSAGES.seats.full : fullSeatMessage(event, gone)
  const field = gone?.option === null ? undefined : gone?.limit.eachOptionOf
  return said(409, 'full', message, {
    // Nothing is offered in place of an option: the delegate chooses another answer.
    ...(field !== undefined && quote === null && { errors: { [field]: message } }),
    place,
    left: 0,
    quote: quote === null ? null : wireQuote(quote),
  })
}

export function quoteRefused(event: EventConfig, refusal: QuoteRefusal): Refusal {
  switch (refusal.code) {
    case 'no_category': {
      const chosen = event.categoryChoice.by === 'field' ? event.categoryChoice.field : null
      const field = event.fields.find(({ id }) => id === chosen)
      return answersRefused(
        field === undefined ? {} : { [field.id]: field.required?.message ?? field.invalid },
      )
    }
    case 'registration_closed':
      return closedRefused(refusal.text)
    case 'not_on_sale':
      return said(
        409,
        refusal.code,
        refusal.item === null
          ? formatMessage(REFUSAL_MESSAGES.seats.categoryNotOnSale, {
              category: labelOf(event, refusal.category),
              word: lowerCaseLabel(event, 'category'),
            })
          : formatMessage(REFUSAL_MESSAGES.seats.itemNotOnSale, {
              item: itemLabel(event, refusal.item, refusal.option),
            }),
        { quote: null },
      )
    default:
      return assertNever(refusal)
  }
}

/** The price, category or period that the delegate saw has changed: says which, and carries the current values. */
export function differenceRefused(
  event: EventConfig,
  differs: Difference,
  quoted: Quote | null,
): Refusal {
  const total = quoted === null ? null : formatMoney(quoted.total)
  return said(409, `${differs}_changed`, differenceText(event, differs, quoted, total), {
    quote: quoted === null ? null : wireQuote(quoted),
  })
}

/** Whole sentences, one after the other. */
const sentences = (...all: readonly string[]): string => all.join(' ')

function differenceText(
  event: EventConfig,
  differs: Difference,
  quoted: Quote | null,
  total: string | null,
): string {
  const { changed } = REFUSAL_MESSAGES
  const isFree = quoted?.total === 0
  const word = lowerCaseLabel(event, 'category')
  const sum =
    total === null ? [] : isFree ? [changed.free] : [formatMessage(changed.total, { total })]
  switch (differs) {
    case 'price':
      return sentences(
        total === null || isFree ? changed.priceFree : formatMessage(changed.price, { total }),
        changed.check,
      )
    case 'category':
      return quoted === null
        ? sentences(formatMessage(changed.otherCategory, { word }), changed.check)
        : sentences(
            formatMessage(changed.category, { word, category: labelOf(event, quoted.category) }),
            ...sum,
            changed.check,
          )
    case 'period':
      return sentences(changed.period, ...sum, changed.check)
    default:
      return assertNever(differs)
  }
}

/** Refuses what the gateway would refuse, before anything is stored. An existing registration is not changed. */
export function notPayable(
  event: EventConfig,
  why: HandOffRefusal,
  /** The payment methods that can be chosen instead. */
  instead: readonly string[] = [],
): Refusal {
  const { payment, writeTo } = REFUSAL_MESSAGES
  const { support } = event
  const write = formatMessage(writeTo, { support })
  switch (why.code) {
    case 'no_credentials':
      return said(503, 'payment_unavailable', formatMessage(payment.unavailable, { support }))
    case 'email': {
      const message = why.characters === 0 ? payment.noEmail : emailNotForGateway(why.characters)
      const { email: id } = event.roles
      return said(409, 'not_payable', sentences(message, write), {
        ...(id !== undefined && { errors: { [id]: message } }),
      })
    }
    case 'amount':
      return said(409, 'not_payable', sentences(payment.amount, write))
    case 'below_minimum':
      return said(
        409,
        'not_payable',
        sentences(
          formatMessage(payment.minimum, { amount: formatMoney(why.minimum) }),
          instead.length === 0
            ? write
            : formatMessage(payment.chooseInstead, { methods: instead.join(', ') }),
        ),
      )
    case 'order_id':
      return said(409, 'not_payable', sentences(payment.number, write))
    default:
      return assertNever(why)
  }
}

export function payAgainRefused(event: EventConfig, refusal: PayAgainRefusal): Refusal {
  const { payment } = REFUSAL_MESSAGES
  switch (refusal.code) {
    case 'nothing_due':
      return said(409, refusal.code, payment.nothingToPay)
    case 'wait':
      return said(409, refusal.code, payment.inProgress)
    case 'gateway_unsure':
      return said(503, refusal.code, payment.unsure, {}, UNSURE_SECONDS)
    case 'price_moved': {
      const { was, now } = refusal
      return said(
        409,
        refusal.code,
        formatMessage(payment.priceNotGuaranteed, {
          was: formatMoney(was.total),
          now: formatPrice(now.total),
        }),
        { quote: wireQuote(now), was: wireQuote(was) },
      )
    }
    case 'not_on_sale':
      return quoteRefused(event, refusal.why)
    case 'too_many_attempts':
      return said(
        409,
        refusal.code,
        formatMessage(payment.tooManyAttempts, { support: event.support }),
      )
    case 'registration_closed':
      return closedRefused(refusal.text)
    case 'not_payable':
      return notPayable(event, refusal.why)
    case 'taken':
      return { ...outsideRefused(event, refusal.by), status: 409 }
    default:
      return assertNever(refusal)
  }
}

function labelOf(event: EventConfig, category: string): string {
  return event.categories.find(({ id }) => id === category)?.label ?? category
}

/** Returns the name of an item for use in a sentence: the label of the option if there is one, else of the item. */
function itemLabel(event: EventConfig, id: string, option: string | null): string {
  const item = event.fees.items.find((one) => one.id === id)
  const options = event.fields.find((field) => field.id === item?.by)?.options ?? []
  return options.find((one) => one.id === option)?.label ?? item?.label ?? id
}

export function wireQuote({ category, period, base, gst, total, lines }: Quote): WireQuote {
  return {
    category,
    period,
    base: rupees(base),
    gst: rupees(gst),
    total: rupees(total),
    lines: toWireLines(lines),
  }
}
