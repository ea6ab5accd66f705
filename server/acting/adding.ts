/** A registration made at the desk: the same form and the same prices, paid in hand there or left due. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  assert,
  dayOf,
  err,
  errorsOf,
  fromRupees,
  isoIndia,
  ok,
  own,
  publicEvent,
  readAsked,
  remember,
  shownLeft,
} from '../../engine/index.ts'
import type { AddedAnswer, AddingAnswer, FieldErrors, Result, Way } from '../../engine/index.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import { eventAsked } from '../office/asked.ts'
import { answersRefused, sendRefusal, sentBefore } from '../registering/refusals.ts'
import { leftOf } from '../registering/facts.ts'
import type { InHand } from '../registering/making.ts'
import { registerAtDesk } from '../registering/register.ts'
import { textIn } from './asked.ts'
import type { Words } from './asked.ts'
import { wordsOf } from './calls.ts'
import { asksOf } from './paying.ts'

/** How the office's own words call what a file's desk may take; anything else is money at the desk. */
const MODES: Readonly<Record<string, Way>> = { cash: 'cash', card: 'machine' }
/** A key comes with every registration of the desk: a click that comes twice makes one. */
const KEY = /^[\w-]{8,64}$/

export function addRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const form = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await eventAsked(deps, request, reply, request.query)
    if (found === null) return reply
    const { config } = found.served
    const answer: AddingAnswer = {
      status: 'success',
      now: isoIndia(deps.clock()),
      event: publicEvent(config),
      left: shownLeft(config.limits, await leftOf(deps, config, deps.clock())),
      ways: config.ways.flatMap((way) =>
        way.is === 'desk' ? [{ id: way.id, label: way.label, asks: asksOf(way, null) }] : [],
      ),
    }
    return reply.send(answer)
  }

  const add = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const words = wordsOf(request)
    const found = await eventAsked(deps, request, reply, words)
    if (found === null) return reply
    const key = textIn(words, 'key')
    if (!KEY.test(key))
      return refuse(reply, 422, 'bad_data', 'A key has 8 to 64 letters, digits or dashes.')
    const given = own(words, 'answers')
    const answers = typeof given === 'object' && given !== null ? (given as Words) : {}
    const { admin } = found
    const served = withoutFiles(found.served)
    const paid = paidIn(served, words)
    // What is wrong with the form is said with it, all at once.
    if (!paid.ok)
      return sendRefusal(
        reply,
        answersRefused({ ...errorsOf(served.config, answers), ...paid.error }),
      )
    const made = await registerAtDesk(
      deps,
      served,
      { key: `${admin.username} ${key}`, answers },
      {
        who: admin.username,
        inHand: paid.value === null ? null : { ...paid.value, actor: admin.role },
        shown: fromRupees(own(words, 'total')),
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

  /** Null: it is left due. */
  const paidIn = (
    { config }: ServedEvent,
    words: Words,
  ): Result<PaidInHand | null, FieldErrors> => {
    const named = textIn(words, 'way')
    if (named === '') return ok(null)
    const way = config.ways.find(({ id, is }) => is === 'desk' && id === named)
    if (way?.is !== 'desk') return err({ way: 'This is no way of the desk.' })
    const given = own(words, 'paid')
    const raw = typeof given === 'object' && given !== null ? (given as Words) : {}
    const read = readAsked(config, way, raw, dayOf(deps.clock()))
    if (!read.ok) return read
    const choice = way.asks.find(({ type }) => type === 'select')
    const mode = choice === undefined ? '' : String(own(read.value, choice.id) ?? '')
    const slip =
      way.reference === undefined
        ? ''
        : String(own(read.value, way.reference) ?? '').replaceAll(/\s+/g, ' ')
    return ok({ way, mode: MODES[mode] ?? 'desk', slip })
  }

  const rule = { config: { office: { least: 'desk', about: 'event' } } } as const
  for (const path of paths('/admin/add')) {
    app.get(path, rule, form)
    app.post(path, rule, add)
  }
}

/** A paper that is not there keeps nobody from the desk: the delegate sends it later, on their own page. */
const withoutFiles = remember((served: ServedEvent): ServedEvent => {
  const fields = served.config.fields.map((field) => {
    const { required: _required, ...rest } = field
    return field.type === 'file' ? rest : field
  })
  return { ...served, config: { ...served.config, fields } }
})

/** Money that the desk has in hand. */
type PaidInHand = Omit<InHand, 'actor'>
