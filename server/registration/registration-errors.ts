/** Defines every refusal of registering and paying again: status, code and message. */
import type { FastifyReply } from 'fastify'
import {
  allPlaces,
  assertNever,
  emailNotForGateway,
  formatMoney,
  formatPrice,
  rupees,
  sayFull,
  wireLines,
  wordFor,
} from '../../engine/index.ts'
import type {
  CodeFact,
  EventConfig,
  FieldErrors,
  Quote,
  QuoteRefusal,
  WireQuote,
} from '../../engine/index.ts'
import type { BodyRefusal } from '../http/request-body.ts'
import { refuse, RETRY_SECONDS, toldOf } from '../http/error-response.ts'
import type { More } from '../http/error-response.ts'
import type { HandOffRefusal } from '../dependencies.ts'
import { KEY_LENGTH_MAX } from './idempotency-key.ts'
import type { PayAgainRefusal } from './retry-payment.ts'
import type { Difference } from './compare-displayed-price.ts'
import type { ActNo, OutsideRefusal } from '../storage/index.ts'

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
  return said(422, 'bad_request', 'Send one file, under the name of its field.')
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
      return unreadable('The request says it is JSON, but it cannot be read as JSON.')
    case 'too_deep':
      return said(422, 'bad_request', 'The answers are nested more deeply than any answer is.')
    case 'not_an_object':
      return said(422, 'bad_request', 'The answers must be one JSON object.')
    case 'not_multipart':
      return unreadable(
        'The request says it is multipart/form-data, but it cannot be read as such.',
      )
    case 'no_room': {
      const { code, message } = toldOf(507)
      return said(503, code, message, {}, RETRY_SECONDS[507])
    }
    case 'cut_off':
      return unreadable('The request broke off before it was complete.')
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
  const mb = Math.round((field.bytesMax / 1024 / 1024) * 10) / 10
  const message = `The file is too large. Please choose one of at most ${mb} MB.`
  return said(413, 'file_too_large', message, { errors: { [field.id]: message } })
}

export function keyRefused(code: 'bad_idempotency_key' | 'idempotency_key_reused'): Refusal {
  return code === 'bad_idempotency_key'
    ? said(
        400,
        code,
        `The Idempotency-Key must be printable and at most ${KEY_LENGTH_MAX} characters long.`,
      )
    : said(
        422,
        code,
        'This Idempotency-Key was used with other answers. Use a new key for a new registration.',
      )
}

/** A manual registration that got no response and was resent with changes. */
export function sentBefore(): Refusal {
  return said(
    409,
    'idempotency_key_reused',
    'This form was sent before as something else, and somebody is registered by it. Look in the list before you register anybody again.',
  )
}

export function answersRefused(errors: FieldErrors): Refusal {
  const message = Object.values(errors)[0] ?? 'Some answers are missing or wrong.'
  return said(422, 'invalid_answers', message, { errors })
}

/** Answers that are on no member list, with the message of each field. */
export function notOnRoll(errors: FieldErrors): Refusal {
  return { ...answersRefused(errors), code: 'not_on_roll' }
}

/** Explains why a code gives nothing. */
export function codeSentence(is: Exclude<CodeFact['is'], 'valid'>): string {
  switch (is) {
    case 'unknown':
      return 'We do not know this code. Please check it, or leave it out.'
    case 'spent':
      return 'This code has already been used as often as it can be.'
    case 'over':
      return 'This code has expired.'
    case 'withdrawn':
      return 'This code has been withdrawn by the organisers.'
    default:
      return assertNever(is)
  }
}

export function codeRefused(is: Exclude<CodeFact['is'], 'valid'>): Refusal {
  const message = codeSentence(is)
  const code = is === 'unknown' ? 'code_unknown' : 'code_spent'
  return said(422, code, message, { errors: { code: message } })
}

/** A payment in hand that cannot be accepted; `asked`: the field whose answer identifies the payment. */
export function notConfirmed({ code, message }: ActNo, asked: string | undefined): Refusal {
  const text = `${message} Nobody has been registered.`
  const isKnown = code === 'taken' && asked !== undefined
  return said(409, code, text, isKnown ? { errors: { [asked]: message } } : {})
}

/** A quota, code or unique value that somebody else has taken, just now or long ago. */
export function outsideRefused(event: EventConfig, refusal: OutsideRefusal): Refusal {
  switch (refusal.code) {
    case 'registered_already': {
      const rule = event.unique[refusal.rule]
      const more: More = rule?.otherwise === 'warn' ? { may_confirm: true } : {}
      return said(409, refusal.code, rule?.say ?? 'This is already registered.', more)
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
  const gone = allPlaces(event.limits).find(({ id }) => id === place)
  const message = gone === undefined ? 'All places are taken.' : sayFull(event, gone)
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
          ? `${labelOf(event, refusal.category)} is not on sale at present. Please choose another ${wordFor(event, 'category')}.`
          : `${itemLabel(event, refusal.item, refusal.option)} is not on sale at present. Please change your answers.`,
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

function differenceText(
  event: EventConfig,
  differs: Difference,
  quoted: Quote | null,
  total: string | null,
): string {
  const check = 'Nothing has been charged. Please check it and submit again.'
  const isFree = quoted?.total === 0
  const sum = total === null ? '' : isFree ? ' It is free.' : ` The total is ${total}.`
  switch (differs) {
    case 'price':
      return total === null || isFree
        ? `The price has changed: nothing is to be paid now. ${check}`
        : `The price has changed: the total is now ${total}. ${check}`
    case 'category':
      return quoted === null
        ? `Your answers belong to another registration ${wordFor(event, 'category')}. ${check}`
        : `Your answers belong to the ${wordFor(event, 'category')} ${labelOf(event, quoted.category)}.${sum} ${check}`
    case 'period':
      return `A new price period has begun.${sum} ${check}`
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
  const write = `Please write to ${event.support}.`
  switch (why.code) {
    case 'no_credentials':
      return said(
        503,
        'payment_unavailable',
        `Payments cannot be taken at present, and nothing was charged. Please try again later. If this goes on, write to ${event.support}.`,
      )
    case 'email': {
      const message =
        why.characters === 0
          ? 'This registration has no email address, and the payment gateway needs one.'
          : emailNotForGateway(why.characters)
      const { email: id } = event.roles
      return said(409, 'not_payable', `${message} ${write}`, {
        ...(id !== undefined && { errors: { [id]: message } }),
      })
    }
    case 'amount':
      return said(409, 'not_payable', `This amount cannot be paid by card. ${write}`)
    case 'below_minimum':
      return said(
        409,
        'not_payable',
        `The smallest amount that can be paid online is ${formatMoney(why.minimum)}. ${instead.length === 0 ? write : `Please choose ${instead.join(' or ')}.`}`,
      )
    case 'order_id':
      return said(
        409,
        'not_payable',
        `The number of this registration cannot be used for paying by card. ${write}`,
      )
    default:
      return assertNever(why)
  }
}

export function payAgainRefused(event: EventConfig, refusal: PayAgainRefusal): Refusal {
  switch (refusal.code) {
    case 'nothing_due':
      return said(409, refusal.code, 'There is nothing to pay for this registration now.')
    case 'wait':
      return said(
        409,
        refusal.code,
        'A payment for this registration may be on its way. Please wait for the bank’s answer before you pay again.',
      )
    case 'gateway_unsure':
      return said(
        503,
        refusal.code,
        'The bank cannot tell us at the moment whether you have already paid, and you should not pay twice. Please try again in a minute.',
        {},
        UNSURE_SECONDS,
      )
    case 'price_moved': {
      const { was, now } = refusal
      return said(
        409,
        refusal.code,
        `The price of ${formatMoney(was.total)} is no longer held: the total is now ${formatPrice(now.total)}. Nothing has been charged.`,
        { quote: wireQuote(now), was: wireQuote(was) },
      )
    }
    case 'not_on_sale':
      return quoteRefused(event, refusal.why)
    case 'too_many_attempts':
      return said(
        409,
        refusal.code,
        `This payment has been tried too many times. Please write to ${event.support}.`,
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
    lines: wireLines(lines),
  }
}
