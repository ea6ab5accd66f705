/** Registering: a short list of ways to say no, and then one verb of the store. */
import { createHash, randomInt } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  categoryOf,
  checkAnswers,
  dayOf,
  mailFor,
  openOn,
  orderIdOf,
  quote,
  regNoOf,
  rupees,
  delegateOf,
} from '../../engine/index.ts'
import type {
  Answers,
  EventConfig,
  FieldErrors,
  Instant,
  Quote,
  QuoteRefusal,
  RegNo,
  RegisterAnswer,
  Result,
  WireQuote,
} from '../../engine/index.ts'
import { refuse, toldOf } from '../http/refuse.ts'
import { readBody } from '../http/body.ts'
import type { Body, BodyRefusal, SentFile } from '../http/body.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import { registrationView } from './view.ts'
import { compareSent, priceChangedText } from './sent.ts'
import type { NewRegistration, Registered } from '../store/store.ts'

/** Answers without files; longer texts than fit here are refused field by field long before. */
const answersBytesMax = 256 * 1024
/** A hall of delegates shares one address; a script that fills the database does not stay below this. */
const perMinute = 30
const keyLengthMax = 200
/** `randomInt` goes up to 2 ** 48. */
const digitsAtOnce = 14
/** How long who sends the form again waits for the gateway's word on the payment he left. */
const askedMs = 3000
/** Two equal numbers of twelve random digits are a wonder, three a fault. */
const numbersTried = 5

type Register = (
  served: ServedEvent,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

export function registerCall(app: FastifyInstance, deps: Deps): Register {
  const limit = app.createRateLimit({ max: perMinute, timeWindow: 60_000 })
  return async (served, request, reply) => {
    reply.header('cache-control', 'no-store')
    const event = served.config
    const limited = await limit(request)
    if (!limited.isAllowed && limited.isExceeded) {
      reply.header('retry-after', String(limited.ttlInSeconds))
      return refuse(reply, 429, toldOf(429).code, toldOf(429).message)
    }
    const body = await readBody(request, { bytesMax: bodyBytesMax(event) })
    if (!body.ok) return refuseBody(reply, event, body.error)
    const key = keyOf(request)
    if (key === 'unreadable')
      return refuse(
        reply,
        400,
        'bad_idempotency_key',
        `The Idempotency-Key must be printable and at most ${keyLengthMax} characters long.`,
      )
    const at = deps.clock()
    const idempotency = key === null ? null : { key, fingerprint: fingerprintOf(body.value) }
    const before =
      idempotency === null ? null : await deps.store.registeredUnder(event.id, idempotency.key, at)
    if (before !== null && before.fingerprint !== idempotency?.fingerprint)
      return refuse(reply, 422, 'idempotency_key_reused', keyReused)
    if (before !== null)
      return reply.code(201).send(await answerOf(deps, event, before.registered, at))

    const open = openOn(event, dayOf(at))
    if (!open.open) return refuse(reply, 409, 'registration_closed', open.text)

    const tooLong = tooLongFiles(event, body.value.files)
    if (tooLong !== null)
      return refuse(
        reply,
        413,
        'file_too_large',
        Object.values(tooLong)[0] ?? toldOf(413).message,
        { errors: tooLong },
      )
    const answers = checkAnswers(event, rawOf(event, body.value))
    if (!answers.ok) return invalidAnswers(reply, answers.error)
    const files = filesOf(event, answers.value, body.value.files)
    const wrongFiles = await wrongFilesOf(deps, files)
    if (wrongFiles !== null) return invalidAnswers(reply, wrongFiles)

    const priced = priceOf(event, answers.value, at)
    if (!priced.ok) return refuseQuote(reply, event, priced.error)
    const compared = compareSent(
      event,
      body.value.values,
      priced.value.category,
      priced.value.quote,
    )
    if (compared.is === 'unreadable')
      return invalidAnswers(reply, { [compared.name]: 'This is not an amount in rupees.' })
    if (compared.is === 'differs')
      return refuse(reply, 409, 'price_changed', priceChangedText(priced.value.quote), {
        quote: wireQuote(priced.value.quote),
      })

    const uploads = []
    for (const { field, file, accept } of files) {
      const kept = await deps.uploads.keep({ ...file, accept })
      if (!kept.ok) return invalidAnswers(reply, { [field.id]: field.invalid })
      uploads.push({
        field: field.id,
        sha256: kept.sha256,
        name: file.name,
        type: kept.type,
        bytes: kept.bytes,
      })
    }
    const registered = await registerUnderFreeNumber(deps, served, {
      ...priced.value,
      answers: answers.value,
      uploads,
      idempotency,
      at,
    })
    if (!registered.ok) return refuse(reply, 422, registered.error.code, keyReused)
    return reply.code(201).send(await answerOf(deps, event, registered.value, at, answers.value))
  }
}

function bodyBytesMax(event: EventConfig): number {
  return event.fields.reduce(
    (sum, field) => sum + (field.type === 'file' ? (field.bytesMax ?? 0) : 0),
    answersBytesMax,
  )
}

/** Null: none was sent. */
function keyOf(request: FastifyRequest): string | null | 'unreadable' {
  const header = request.headers['idempotency-key']
  const key = (Array.isArray(header) ? header.join() : (header ?? '')).trim()
  if (key === '') return null
  return key.length <= keyLengthMax && /^[\x20-\x7e]+$/.test(key) ? key : 'unreadable'
}

function refuseBody(reply: FastifyReply, event: EventConfig, refusal: BodyRefusal): FastifyReply {
  switch (refusal) {
    case 'too_large': {
      const file = event.fields.find(
        (field) => field.type === 'file' && field.bytesMax !== undefined,
      )
      const message =
        file?.bytesMax === undefined ? toldOf(413).message : tooLongText(file.bytesMax)
      return refuse(
        reply,
        413,
        file === undefined ? 'too_large' : 'file_too_large',
        message,
        file === undefined ? {} : { errors: { [file.id]: message } },
      )
    }
    case 'unsupported_media_type':
      return refuse(reply, 415, toldOf(415).code, toldOf(415).message)
    case 'not_json':
      return refuse(
        reply,
        400,
        'bad_request',
        'The request says it is JSON, but it cannot be read as JSON.',
      )
    case 'not_an_object':
      return refuse(reply, 400, 'bad_request', 'The answers must be one JSON object.')
    case 'not_multipart':
      return refuse(
        reply,
        400,
        'bad_request',
        'The request says it is multipart/form-data, but it cannot be read as such.',
      )
    case 'cut_off':
      return refuse(reply, 400, 'bad_request', 'The request broke off before it was complete.')
  }
}

function tooLongText(bytesMax: number): string {
  return `The file is too large. Please choose one of at most ${Math.round((bytesMax / 1024 / 1024) * 10) / 10} MB.`
}

function tooLongFiles(event: EventConfig, files: Body['files']): FieldErrors | null {
  const errors: Record<string, string> = {}
  for (const field of event.fields) {
    if (field.type !== 'file' || field.bytesMax === undefined) continue
    if ((files.get(field.id)?.bytes.length ?? 0) > field.bytesMax)
      errors[field.id] = tooLongText(field.bytesMax)
  }
  return Object.keys(errors).length === 0 ? null : errors
}

/** The answers as sent; a file's answer is its name, and only a file that came with the request counts. */
function rawOf(event: EventConfig, body: Body): Readonly<Record<string, unknown>> {
  const fields = event.fields.filter(({ type }) => type === 'file')
  if (fields.length === 0) return body.values
  const raw: Record<string, unknown> = Object.assign(
    Object.create(null) as Record<string, unknown>,
    body.values,
  )
  for (const field of fields) {
    const file = body.files.get(field.id)
    if (file === undefined || file.bytes.length === 0) delete raw[field.id]
    else raw[field.id] = file.name
  }
  return raw
}

type FieldFile = {
  readonly field: EventConfig['fields'][number]
  readonly file: SentFile
  readonly accept: readonly string[]
}

/** The files of fields that are shown; any other is dropped like any hidden answer. */
function filesOf(event: EventConfig, answers: Answers, files: Body['files']): readonly FieldFile[] {
  return event.fields.flatMap((field) => {
    const file =
      field.type === 'file' && Object.hasOwn(answers, field.id) ? files.get(field.id) : undefined
    return file === undefined ? [] : [{ field, file, accept: field.accept ?? [] }]
  })
}

async function wrongFilesOf(deps: Deps, files: readonly FieldFile[]): Promise<FieldErrors | null> {
  const errors: Record<string, string> = {}
  for (const { field, file, accept } of files) {
    if (!(await deps.uploads.fits({ ...file, accept }))) errors[field.id] = field.invalid
  }
  return Object.keys(errors).length === 0 ? null : errors
}

function invalidAnswers(reply: FastifyReply, errors: FieldErrors): FastifyReply {
  return refuse(
    reply,
    422,
    'invalid_answers',
    Object.values(errors)[0] ?? 'Some answers are missing or wrong.',
    { errors },
  )
}

type Priced = { readonly category: string | null; readonly quote: Quote | null }

function priceOf(event: EventConfig, answers: Answers, at: Instant): Result<Priced, QuoteRefusal> {
  if (event.fees.prices === null)
    return { ok: true, value: { category: categoryOf(event, answers), quote: null } }
  const quoted = quote(event, answers, at)
  return quoted.ok
    ? { ok: true, value: { category: quoted.value.category, quote: quoted.value } }
    : quoted
}

function refuseQuote(reply: FastifyReply, event: EventConfig, refusal: QuoteRefusal): FastifyReply {
  switch (refusal.code) {
    case 'no_category': {
      const chosen = event.categoryChoice.by === 'field' ? event.categoryChoice.field : null
      const field = event.fields.find(({ id }) => id === chosen)
      return invalidAnswers(
        reply,
        field === undefined ? {} : { [field.id]: field.required?.message ?? field.invalid },
      )
    }
    case 'registration_closed':
      return refuse(reply, 409, 'registration_closed', refusal.text)
    case 'not_on_sale': {
      const label =
        event.categories.find(({ id }) => id === refusal.category)?.label ?? refusal.category
      return refuse(
        reply,
        409,
        'price_changed',
        `${label} is not on sale at present. Please choose another category.`,
        { quote: null },
      )
    }
  }
}

function wireQuote(quoted: Quote | null): WireQuote | null {
  return quoted === null
    ? null
    : {
        category: quoted.category,
        period: quoted.period,
        base: rupees(quoted.base),
        gst: rupees(quoted.gst),
        total: rupees(quoted.total),
      }
}

/** The same fields, values and files give the same text, in whatever order they came. */
function fingerprintOf(body: Body): string {
  const values = Object.entries(body.values).sort(([a], [b]) => (a < b ? -1 : 1))
  const files = [...body.files]
    .map(([field, { name, bytes }]) => [
      field,
      name,
      createHash('sha256').update(bytes).digest('hex'),
    ])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([values, files]))
    .digest('hex')
}

type Judged = Priced & Pick<NewRegistration, 'answers' | 'uploads' | 'idempotency' | 'at'>

async function registerUnderFreeNumber(
  deps: Deps,
  served: ServedEvent,
  judged: Judged,
): Promise<Result<Registered, { readonly code: 'idempotency_key_reused' }>> {
  for (let tried = 0; tried < numbersTried; tried++) {
    const registered = await deps.store.register(
      newRegistration(served, judged, freshNumber(served.config)),
    )
    if (registered.ok) return registered
    if (registered.error.code !== 'reg_no_taken')
      return { ok: false, error: { code: registered.error.code } }
  }
  throw new Error('every registration number that was drawn is taken')
}

function freshNumber(event: EventConfig): RegNo {
  const wanted = event.orderId.digits - 1
  let digits = ''
  while (digits.length < wanted)
    digits += String(randomInt(10 ** digitsAtOnce)).padStart(digitsAtOnce, '0')
  return regNoOf(event, Array.from(digits.slice(0, wanted), Number))
}

function newRegistration(served: ServedEvent, judged: Judged, regNo: RegNo): NewRegistration {
  const event = served.config
  const paid = event.payment !== null && judged.quote !== null
  const registration = {
    eventId: event.id,
    eventHash: served.hash,
    regNo,
    answers: judged.answers,
    searchable: delegateOf(event, judged.answers),
    category: judged.category,
    quote: judged.quote,
    orderId: paid ? orderIdOf(regNo, 1) : null,
    uploads: judged.uploads,
    at: judged.at,
    idempotency: judged.idempotency,
    ...(paid && event.payment !== null ? { gateway: event.payment.gateway.name } : {}),
  }
  return { ...registration, mail: paid ? null : mailFor(event, unpaidView(event, registration)) }
}

/** A registration without a payment as it will be read once it is stored: a success at once. */
function unpaidView(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
): ReturnType<typeof registrationView> {
  return registrationView(event, {
    id: 0,
    eventId: registration.eventId,
    eventHash: registration.eventHash,
    regNo: registration.regNo,
    answers: registration.answers,
    category: registration.category,
    period: registration.quote?.period ?? null,
    base: registration.quote?.base ?? null,
    gst: registration.quote?.gst ?? null,
    total: registration.quote?.total ?? null,
    paymentStatus: 'success',
    inReview: false,
    paymentId: null,
    paidAt: registration.at,
    createdAt: registration.at,
    payments: [],
    uploads: registration.uploads,
  })
}

const keyReused =
  'This Idempotency-Key was used with other answers. Use a new key for a new registration.'
const payMessage = 'Your registration is recorded. It is complete once the payment is made.'
const recordedMessage = 'Your registration is recorded.'

/** A repeated request gets the first registration, with a hand-off built afresh for what is still to be paid. */
async function answerOf(
  deps: Deps,
  event: EventConfig,
  registered: Registered,
  at: Instant,
  fresh?: Answers,
): Promise<RegisterAnswer> {
  const { regNo } = registered
  const due = registered.repeated
    ? await stillDue(deps, registered, at)
    : { ...registered, answers: fresh ?? {} }
  if (due === null || due.orderId === null || due.amount === null) {
    return {
      status: 'success',
      message:
        event.payment === null
          ? (event.form.withoutPayment.notice ?? recordedMessage)
          : recordedMessage,
      reg_no: regNo,
    }
  }
  const { fullName, email, phone } = delegateOf(event, due.answers)
  const payment_data = deps.gateway.handOff(
    event,
    { fullName, email, phone, regNo },
    due.orderId,
    due.amount,
    at,
  )
  return { status: 'success', message: payMessage, reg_no: regNo, payment_data }
}

/**
 * The attempt to pay with; null when nothing is due. A failed attempt's order id cannot be used again,
 * and the gateway may know of a failure first: who left its page without paying and sends the form again
 * must not be sent to an order that the gateway refuses.
 */
async function stillDue(
  deps: Deps,
  registered: Registered,
  at: Instant,
): Promise<(Pick<Registered, 'orderId' | 'amount'> & { readonly answers: Answers }) | null> {
  const before = (await deps.store.registration(registered.regNo))?.payments[0]
  if (before?.status === 'pending' && before.createdAt < at) {
    await deps.payments
      .verify(before.orderId, askedMs)
      .catch((error: unknown) =>
        deps.log.warn(
          { error: String(error) },
          'a repeated registration could not ask after its payment',
        ),
      )
  }
  const stored = await deps.store.registration(registered.regNo)
  const newest = stored?.payments[0]
  if (stored === null || newest === undefined || stored.inReview) return null
  if (stored.paymentStatus === 'pending') return { ...newest, answers: stored.answers }
  if (stored.paymentStatus !== 'failed') return null
  const again = await deps.store.retry(registered.regNo, at)
  return again.ok ? { ...again.value, answers: stored.answers } : null
}
