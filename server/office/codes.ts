/** The office's calls about codes and rolls: what there is of an event, codes made and withdrawn. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isoIndia, own } from '../../engine/index.ts'
import type {
  CodesAnswer,
  CodesMadeAnswer,
  EventConfig,
  RollsAnswer,
  WireCode,
} from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import type { StoredCode } from '../store/store.ts'
import { makeCodes, withdrawCode } from './making-codes.ts'
import type { CodesRefusal } from './making-codes.ts'
import { eventAsked } from './asked.ts'
import type { Admin } from './session.ts'

type Asked = { readonly admin: Admin; readonly event: EventConfig }

export function codeRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const asked = async (
    request: FastifyRequest,
    reply: FastifyReply,
    said: unknown,
  ): Promise<Asked | null> => {
    const found = await eventAsked(deps, request, reply, said)
    return found && { admin: found.admin, event: found.served.config }
  }
  const saw = (look: string, what: string, { admin, event }: Asked): Promise<void> =>
    deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what,
      eventId: event.id,
      regNo: null,
      look,
    })

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(request, reply, request.query)
    if (by === null) return reply
    const { event } = by
    const codes = await deps.store.codesOf(event.id, event.holdPlaceMs, deps.clock())
    await saw('codes', `saw the codes (${codes.length})`, by)
    const kinds = event.codeKinds.map(({ id, label }) => ({ id, label }))
    const answer: CodesAnswer = { status: 'success', kinds, codes: codes.map(wireCode) }
    return reply.send(answer)
  }
  const make = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(request, reply, request.body)
    if (by === null) return reply
    const made = await makeCodes(deps, by.event, recordOf(request.body), by.admin.username)
    if (!made.ok) return refused(reply, made.error)
    const answer: CodesMadeAnswer = { status: 'success', codes: [...made.value] }
    return reply.code(201).send(answer)
  }
  const withdraw = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(request, reply, request.body)
    if (by === null) return reply
    const code = own(recordOf(request.body), 'code')
    const done = await withdrawCode(deps, by.event, code, by.admin.username)
    return done.ok
      ? reply.send({ status: 'success', message: done.value })
      : refused(reply, done.error)
  }
  const rolls = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const by = await asked(request, reply, request.query)
    if (by === null) return reply
    const counts = await deps.store.rollCounts(by.event.id)
    const answer: RollsAnswer = {
      status: 'success',
      rolls: by.event.rolls.map(({ id }) => ({
        id,
        rows: counts.find(({ roll }) => roll === id)?.rows ?? 0,
      })),
    }
    return reply.send(answer)
  }
  const look = { config: { office: { least: 'viewer', about: 'event' } } } as const
  // A code is worth money to whoever has it.
  const give = { config: { office: { least: 'treasurer', about: 'event' } } } as const
  for (const path of paths('/admin/codes')) {
    app.get(path, look, list)
    app.post(path, give, make)
  }
  for (const path of paths('/admin/codes/withdraw')) app.post(path, give, withdraw)
  for (const path of paths('/admin/rolls')) app.get(path, look, rolls)
}

function recordOf(said: unknown): Readonly<Record<string, unknown>> {
  return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {}
}

function refused(reply: FastifyReply, { code, message }: CodesRefusal): FastifyReply {
  const status = code === 'bad_code' ? 422 : code === 'code_taken' ? 409 : 404
  return refuse(reply, status, code, message)
}

/** As it travels to the office, and as `rollcall codes-of --json` prints it. */
export function wireCode(code: StoredCode): WireCode {
  return {
    code: code.code,
    kind: code.kind,
    uses: code.uses,
    uses_max: code.usesMax,
    until: code.lastDay,
    note: code.note,
    made_at: isoIndia(code.madeAt),
    made_by: code.madeBy,
    withdrawn_at: code.withdrawnAt === null ? null : isoIndia(code.withdrawnAt),
  }
}
