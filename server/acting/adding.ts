/** A registration made at the desk: the same form and the same prices, paid in hand there or left due. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  dayOf,
  err,
  errorsOf,
  fromRupees,
  isoIndia,
  ok,
  own,
  paise,
  publicEvent,
  readAsked,
  remember,
} from '../../engine/index.ts'
import type {
  AddedAnswer,
  AddingAnswer,
  DeskWay,
  FieldErrors,
  Result,
  Way,
} from '../../engine/index.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import { eventAsked } from '../office/asked.ts'
import type { Admin } from '../office/session.ts'
import { confirmationOf } from '../paying/question.ts'
import { answersRefused, sendRefusal } from '../registering/refusals.ts'
import { registerAtDesk } from '../registering/register.ts'
import { textIn } from './asked.ts'
import type { Words } from './asked.ts'
import { sendNo, wordsOf } from './calls.ts'
import { asksOf } from './paying.ts'

/** How the office's own words call what a file's desk may take; anything else is money at the desk. */
const MODES: Readonly<Record<string, Way>> = { cash: 'cash', card: 'machine' }
/** A key comes with every registration of the desk: a click that comes twice makes one. */
const KEY = /^[\w-]{8,64}$/

type Asked = { readonly admin: Admin; readonly served: ServedEvent }

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
        way: paid.value?.way ?? null,
        shown: fromRupees(own(words, 'total')),
      },
    )
    if (!made.ok) return sendRefusal(reply, made.error)
    const { reg_no: regNo } = made.value
    const done = paid.value === null ? null : await pay(found, regNo, paid.value)
    // The registration stands; what was not taken is confirmed on its own page.
    if (done !== null && !done.ok) return sendNo(reply, done.error)
    const state = (await deps.store.registration(regNo))?.state ?? 'to_pay'
    const answer: AddedAnswer = { status: 'success', reg_no: regNo, state }
    return reply.code(201).send(answer)
  }

  /** The money is in hand: it is confirmed by the act that confirms a transfer. */
  const pay = async ({ admin, served }: Asked, regNo: string, { mode, slip }: PaidInHand) => {
    const registration = await deps.store.registration(regNo)
    const [payment] = registration?.payments ?? []
    // Sent twice, or of nothing: it is complete already.
    if (registration === null || payment === undefined || registration.state === 'complete')
      return null
    const at = deps.clock()
    const reference = slip === '' ? regNo : slip
    const mail = confirmationOf({ event: served.config, registration, payment }, reference, at)
    const wanted = { act: 'confirm', actor: admin.role, who: admin.username, why: '' } as const
    return deps.store.confirm(
      { ...wanted, regNo: registration.regNo, at, once: null },
      { way: mode, reference, amount: registration.total ?? paise(0), paidAt: at },
      mail,
    )
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
    const slip = way.reference === undefined ? '' : String(own(read.value, way.reference) ?? '')
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
type PaidInHand = { readonly way: DeskWay; readonly mode: Way; readonly slip: string }
