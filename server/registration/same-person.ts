/** Recognises a delegate who has registered before: the same form again, the same browser, the same person. */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  assert,
  dayOf,
  err,
  formatDay,
  formatMoney,
  getPaymentState,
  isSameEmail,
  ok,
  readDelegate,
} from '../../engine/index.ts'
import { formatMessage, REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { EventConfig, Instant, PaymentState, RegNo, Result } from '../../engine/index.ts'
import type { RegisterResponse } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import type {
  ListedRegistration,
  SamePersonRegistration,
  StoredRegistration,
  WebForm,
} from '../storage/index.ts'
import { buildResponse } from '../payments/start-checkout.ts'
import { issueLink } from './access-link.ts'
import { retryRefusal } from './registration-errors.ts'
import type { Refusal } from './registration-errors.ts'
import { retryPayment } from './retry-payment.ts'

/** Only our own pages can send these headers: a request of another site with them needs a permission that is never given. */
const FORM_HEADER = 'rollcall-form'
/** The registration about which the delegate was asked, encoded as in a URL. */
const AGAIN_HEADER = 'rollcall-again'
/** 256 random bits, of which only the hash is stored. */
const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/
/** Longer than a delegate takes from a first attempt to a second; afterwards the confirmation email is the proof. */
const COOKIE_SECONDS = 30 * 24 * 60 * 60

const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Unlike `decodeURIComponent`, this never throws. */
const decode = (encoded: string): string => new URLSearchParams(`text=${encoded}`).get('text') ?? ''

/** The cookie of a browser for an event: the one that it sent, or a new one. */
function openCookie(
  { environment }: Pick<Deps, 'environment'>,
  { id }: Pick<EventConfig, 'id'>,
  { server, headers }: FastifyRequest,
): { readonly browser: string; readonly set: (reply: FastifyReply) => void } {
  const name = `rollcall_form_${id}`
  const sent = headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name]
  const token =
    sent !== undefined && TOKEN.test(sent) ? sent : randomBytes(TOKEN_BYTES).toString('base64url')
  return {
    browser: hashToken(token),
    set: (reply) =>
      void reply.setCookie(name, token, {
        path: '/api',
        httpOnly: true,
        sameSite: 'strict',
        secure: environment.publicUrl.startsWith('https:'),
        maxAge: COOKIE_SECONDS,
      }),
  }
}

/** Opens a request of the web form. `form` is undefined if something else sent it; then no cookie is read or set. */
export function openWebForm(
  deps: Pick<Deps, 'environment'>,
  event: Pick<EventConfig, 'id'>,
  request: FastifyRequest,
): { readonly form: WebForm | undefined; readonly setCookie: (reply: FastifyReply) => void } {
  if (request.headers[FORM_HEADER] === undefined) return { form: undefined, setCookie: () => {} }
  const again = request.headers[AGAIN_HEADER]
  const { browser, set } = openCookie(deps, event, request)
  const confirmed = again === undefined ? null : decode(String(again))
  return { form: { browser, confirmed }, setCookie: set }
}

/** Remembers that the link of an email, which only the delegate's mailbox has, was opened in this browser. */
export async function proveBrowserByLink(
  deps: Pick<Deps, 'environment' | 'store'>,
  event: Pick<EventConfig, 'id'>,
  regNo: RegNo,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { browser, set } = openCookie(deps, event, request)
  await deps.store.proveBrowser(regNo, browser)
  set(reply)
}

/** Asks the delegate, whose browser has registered this person, whether they register and pay again. */
export function refuseSamePerson({
  regNo,
  isPaid,
  amount,
  currency,
  at,
}: SamePersonRegistration): Refusal {
  const { samePerson } = REFUSAL_MESSAGES
  const values = {
    number: regNo,
    amount: formatMoney(amount, currency),
    day: formatDay(dayOf(at)),
  }
  return {
    status: 409,
    code: 'same_person',
    message: formatMessage(isPaid ? samePerson.paid : samePerson.unpaid, values),
    more: { reg_no: regNo },
    retryAfterSeconds: null,
  }
}

const MANUAL_STATES: readonly PaymentState[] = ['by-hand', 'told', 'lapsed']

/** A registration paid outside a gateway has a self-service page with payment instructions and the claim form. */
export async function buildManualPaymentResponse(
  deps: Deps,
  event: EventConfig,
  regNo: RegNo,
): Promise<RegisterResponse> {
  const link = await issueLink(deps, { regNo, eventId: event.id })
  return { ...buildResponse(event, regNo, null, 'by-hand'), page: new URL(link).pathname }
}

/** Returns the first registration, with new gateway form data if it can be paid, else only the payment state. */
export async function buildRepeatedResponse(
  deps: Deps,
  event: EventConfig,
  { regNo }: Pick<StoredRegistration, 'regNo'>,
  at: Instant,
): Promise<Result<RegisterResponse, Refusal>> {
  const earlierRegistration = await deps.store.registration(regNo)
  assert(earlierRegistration !== null, 'a resubmitted registration does not exist')
  if (MANUAL_STATES.includes(getPaymentState(earlierRegistration, at)))
    return ok(await buildManualPaymentResponse(deps, event, regNo))
  const payable = await retryPayment(deps, event, regNo, at)
  if (payable.ok) return ok(buildResponse(event, regNo, payable.value.data))
  if (['registration_closed', 'not_payable', 'taken'].includes(payable.error.code))
    return err(retryRefusal(event, payable.error))
  const stored = await deps.store.registration(regNo)
  assert(stored !== null, 'a resubmitted registration does not exist')
  return ok(buildResponse(event, regNo, null, getPaymentState(stored, at)))
}

/** Staff may register many delegates under the office's address; a list shows the rest. */
const SAME_EMAIL_MAX = 50

/** Returns the others with the same email address in any spelling, newest first: possible duplicates. */
export async function findWithSameEmail(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  { regNo, answers }: StoredRegistration,
): Promise<readonly ListedRegistration[]> {
  const { email } = readDelegate(event, answers)
  if (email === '') return []
  const query = { eventId: event.id, answers: {}, search: email }
  const { rows } = await store.listPage(query, 1, SAME_EMAIL_MAX)
  return rows.filter(
    (row) => row.regNo !== regNo && isSameEmail(readDelegate(event, row.answers).email, email),
  )
}
