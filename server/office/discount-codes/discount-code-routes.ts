/** Defines the office's routes for discount codes and member lists: list, create and withdraw. */
import type { FastifyReply } from 'fastify'
import { isAtLeast, isoIndia } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type {
  CodesAnswer,
  CodesMadeAnswer,
  MemberListsAnswer,
  WireCode,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { StoredCode } from '../../storage/index.ts'
import { makeCodes, withdrawCode } from './create-discount-codes.ts'
import type { CodesRefusal, CodeWords } from './create-discount-codes.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** A code is worth money to anybody who has it. */
const GIVES_CODES = 'treasurer' satisfies Role

/**
 * Returns the full code for users who can create codes; only its first characters for others, who could spend it.
 */
export function codeFor(role: Role, code: string): string {
  return isAtLeast(role, GIVES_CODES) ? code : `${code.slice(0, 2)}…`
}

type Asked = Pick<Call<'event'>, 'admin' | 'target'>

export function codeRoutes(office: OfficeRoutes, deps: Deps): void {
  const saw = (look: string, what: string, { admin, target }: Asked): Promise<void> =>
    deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what,
      eventId: target.config.id,
      regNo: null,
      look,
    })

  const list = async (call: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const event = call.target.config
    const codes = await deps.store.codesOf(event.id, event.holdSeatsMs, deps.clock())
    await saw('codes', `saw the codes (${codes.length})`, call)
    const kinds = event.codeKinds.map(({ id, label }) => ({ id, label }))
    const answer: CodesAnswer = {
      status: 'success',
      kinds,
      codes: codes
        .map(wireCode)
        .map((one) => ({ ...one, code: codeFor(call.admin.role, one.code) })),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }
  const make = async (
    { admin, target, body }: Call<'event', never, keyof CodeWords>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const made = await makeCodes(deps, target.config, body, admin.username)
    if (!made.ok) return refused(reply, made.error)
    const answer: CodesMadeAnswer = { status: 'success', codes: [...made.value] }
    return reply.code(201).send(answer)
  }
  const withdraw = async (
    { admin, target, body }: Call<'event', never, 'code'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const done = await withdrawCode(deps, target.config, body.code, admin.username)
    return done.ok
      ? reply.send({ status: 'success', message: done.value })
      : refused(reply, done.error)
  }
  const rolls = async ({ target }: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const counts = await deps.store.rollCounts(target.config.id)
    const answer: MemberListsAnswer = {
      status: 'success',
      rolls: target.config.memberLists.map(({ id }) => ({
        id,
        rows: counts.find(({ roll }) => roll === id)?.rows ?? 0,
      })),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }
  const look = { least: 'viewer', about: 'event' } as const
  const give = { least: GIVES_CODES, about: 'event' } as const
  office.get('/admin/codes', look, list)
  office.post(
    '/admin/codes',
    {
      ...give,
      body: {
        kind: 'text',
        count: 'text',
        uses: 'text',
        until: 'text',
        note: 'text',
        code: 'text',
      },
    },
    make,
  )
  office.post('/admin/codes/withdraw', { ...give, body: { code: 'text' } }, withdraw)
  office.get('/admin/rolls', look, rolls)
}

function refused(reply: FastifyReply, { code, message }: CodesRefusal): FastifyReply {
  const status = code === 'bad_code' ? 422 : code === 'code_taken' ? 409 : 404
  return refuse(reply, status, code, message)
}

/** Converts a code for the office, and for `rollcall event discount-codes --json`. */
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
