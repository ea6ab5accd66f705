/** Adds a registration at the desk: same form and prices, paid there or left unpaid. */
import type { FastifyReply } from 'fastify'
import {
  assert,
  dayOf,
  err,
  findAnswerErrors,
  fromRupees,
  isoIndia,
  ok,
  getOwn,
  publicEvent,
  readMethodFields,
  memoize,
  publicAvailability,
} from '../../../engine/index.ts'
import type { FieldErrors, Result, ManualMethod } from '../../../engine/index.ts'
import type { AddedAnswer, AddingAnswer } from '../../../engine/api.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { answersRefused, sendRefusal, sentBefore } from '../../registration/registration-errors.ts'
import { leftOf } from '../../registration/look-up-pricing-context.ts'
import type { InHand } from '../../registration/create-registration.ts'
import { registerAtDesk } from '../../registration/submit-registration.ts'
import { textIn } from '../../registration/actions/action-input.ts'
import { wrongLetters } from '../../registration/actions/record-payment.ts'
import type { Words } from '../../registration/actions/action-input.ts'
import { asksOf } from '../../registration/actions/payment-instructions.ts'

/**
 * Maps the specification's words to payment methods of the event file's desk; anything else is a payment at the
 * desk.
 */
const MODES: Readonly<Record<string, ManualMethod>> = { cash: 'cash', card: 'machine' }
/** The input of the desk: the form's answers, and how it was paid. */
const ADD_WORDS = {
  key: 'text',
  answers: 'object',
  total: 'text',
  way: 'text',
  paid: 'object',
} as const
type AddWord = keyof typeof ADD_WORDS
/** Every manual registration has a key, so that a double click creates only one. */
const KEY = /^[\w-]{8,64}$/

export function addRoutes(office: OfficeRoutes, deps: Deps): void {
  const form = async ({ target }: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const { config } = target
    const answer: AddingAnswer = {
      status: 'success',
      now: isoIndia(deps.clock()),
      event: publicEvent(config),
      left: publicAvailability(config.quotas, await leftOf(deps, config, deps.clock())),
      ways: config.methods.flatMap((way) =>
        way.is === 'desk' ? [{ id: way.id, label: way.label, asks: asksOf(way, null) }] : [],
      ),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const add = async (
    { admin, target, body: words }: Call<'event', never, AddWord>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const key = textIn(words, 'key')
    if (!KEY.test(key))
      return refuse(reply, 422, 'bad_data', 'A key has 8 to 64 letters, digits or dashes.')
    const given = getOwn(words, 'answers')
    const answers = typeof given === 'object' && given !== null ? (given as Words) : {}
    const served = withoutFiles(target)
    const paid = paidIn(served, words)
    // All problems with the form are reported together with it.
    if (!paid.ok)
      return sendRefusal(
        reply,
        answersRefused({ ...findAnswerErrors(served.config, answers), ...paid.error }),
      )
    const made = await registerAtDesk(
      deps,
      served,
      { key: `${admin.username} ${key}`, answers },
      {
        who: admin.username,
        inHand: paid.value === null ? null : { ...paid.value, actor: admin.role },
        shown: fromRupees(getOwn(words, 'total')),
      },
    )
    if (!made.ok)
      return sendRefusal(
        reply,
        made.error.code === 'idempotency_key_reused' ? sentBefore() : made.error,
      )
    const { reg_no: regNo } = made.value
    const registered = await deps.store.registration(regNo)
    assert(registered !== null, 'a registration of the desk is not there')
    const answer: AddedAnswer = { status: 'success', reg_no: regNo, state: registered.state }
    return reply.code(201).send(answer)
  }

  /** Null: the balance stays open. */
  const paidIn = (
    { config }: ServedEvent,
    words: Words,
  ): Result<PaidInHand | null, FieldErrors> => {
    const named = textIn(words, 'way')
    if (named === '') return ok(null)
    const way = config.methods.find(({ id, is }) => is === 'desk' && id === named)
    if (way?.is !== 'desk') return err({ way: 'This payment method is not available here.' })
    const given = getOwn(words, 'paid')
    const raw = typeof given === 'object' && given !== null ? (given as Words) : {}
    const read = readMethodFields(config, way, raw, dayOf(deps.clock()))
    if (!read.ok) return read
    const choice = way.fields.find(({ type }) => type === 'select')
    const mode = choice === undefined ? '' : String(getOwn(read.value, choice.id) ?? '')
    const slip =
      way.reference === undefined
        ? ''
        : String(getOwn(read.value, way.reference) ?? '').replaceAll(/\s+/g, ' ')
    const took = MODES[mode] ?? 'desk'
    const wrong = wrongLetters(took, slip)
    if (wrong !== null) return err({ [way.reference ?? 'way']: wrong })
    return ok({ way, mode: took, slip })
  }

  const rule = { least: 'desk', about: 'event' } as const
  office.get('/admin/add', rule, form)
  office.post('/admin/add', { ...rule, body: ADD_WORDS }, add)
}

/** A missing file does not block a manual registration: the delegate uploads it later, on the self-service page. */
const withoutFiles = memoize((served: ServedEvent): ServedEvent => {
  const fields = served.config.fields.map((field) => {
    const { required: _required, ...rest } = field
    return field.type === 'file' ? rest : field
  })
  return { ...served, config: { ...served.config, fields } }
})

/** A payment taken at the desk. */
type PaidInHand = Omit<InHand, 'actor'>
