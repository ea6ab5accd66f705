/** Defines the office routes for discount codes and member lists: list, create and withdraw. */
import type { FastifyReply } from 'fastify'
import { dayOf, isAtLeast } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import { toWireCurrency } from '../../../engine/api.ts'
import type {
  CodesResponse,
  CodesCreatedResponse,
  MemberListsResponse,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { sendTable } from '../spreadsheets/send-table.ts'
import { createCodes, withdrawCode } from './create-discount-codes.ts'
import { CODE_HEADER, readCodePage, readCodeRows, toWireCode } from './discount-code-rows.ts'
import type { CodesError, CodeInput } from './create-discount-codes.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** Only users with this role or a higher one see codes in full, because anyone who has a code can use it. */
const CODES_ROLE = 'treasurer' satisfies Role

/**
 * Returns a registration's code: in full for users who may see all codes. Other users see only its first
 * characters, so that they cannot use it.
 */
export function maskCode(role: Role, code: string): string {
  return isAtLeast(role, CODES_ROLE) ? code : `${code.slice(0, 2)}…`
}

type EventCall = Pick<Call<'event'>, 'user' | 'target'>

export function addCodeRoutes(office: OfficeRoutes, deps: Deps): void {
  const recordView = (
    viewKey: string,
    description: string,
    { user, target }: EventCall,
  ): Promise<void> =>
    deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: description,
      eventId: target.config.id,
      regNo: null,
      look: viewKey,
    })

  const sendCodes = async (
    call: Call<'event', 'before' | 'as'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const event = call.target.config
    if (call.query.as === 'csv') return sendFile(call, reply)
    const { before } = call.query
    if (!/^\d{0,15}$/.test(before))
      return sendError(
        reply,
        400,
        'bad_query',
        '“before” must be the “next” value of another page.',
      )
    const { codes, next } = await readCodePage(deps, event, before === '' ? null : Number(before))
    await recordView('codes', `viewed the codes (${codes.length})`, call)
    const response: CodesResponse = {
      status: 'success',
      today: dayOf(deps.clock()),
      ...toWireCurrency(event.currency),
      kinds: event.codeKinds.map(({ id, label, gives }) => ({
        id,
        label,
        gives: 'category' in gives ? 'category' : 'discount',
      })),
      codes: codes.map((code) => toWireCode(event, code)),
      before: next,
    }
    return reply.header('cache-control', 'no-store').send(response)
  }
  const sendFile = (
    { user, target: { config: event } }: EventCall,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const at = deps.clock()
    return sendTable(reply, {
      kind: 'csv',
      fileName: `${event.id}_codes_${dayOf(at)}.csv`,
      head: CODE_HEADER,
      chunks: readCodeRows(deps, event),
      toCells: (cells) => cells,
      recordExport: () =>
        deps.store.addAuditEntry({
          at,
          who: user.username,
          what: 'exported the codes',
          eventId: event.id,
          regNo: null,
        }),
      // Only an Excel file has a limit, and codes are exported as CSV.
      advice: '',
    })
  }
  const handleCreate = async (
    { user, store, target, body }: Call<'event', never, keyof CodeInput>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const createResult = await createCodes({ ...deps, store }, target.config, body, user.username)
    if (!createResult.ok) return sendCodesError(reply, createResult.error)
    const response: CodesCreatedResponse = { status: 'success', codes: [...createResult.value] }
    return reply.code(201).send(response)
  }
  const handleWithdraw = async (
    { user, store, target, body }: Call<'event', never, 'code'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const result = await withdrawCode({ ...deps, store }, target.config, body.code, user.username)
    return result.ok
      ? reply.send({ status: 'success', message: result.value })
      : sendCodesError(reply, result.error)
  }
  const sendMemberLists = async (
    { target }: Call<'event'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const counts = await deps.store.memberListCounts(target.config.id)
    const response: MemberListsResponse = {
      status: 'success',
      rolls: target.config.memberLists.map(({ id }) => ({
        id,
        rows: counts.find(({ roll: memberList }) => memberList === id)?.rows ?? 0,
      })),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }
  const codesRule = { minRole: CODES_ROLE, target: 'event' } as const
  office.get('/admin/codes', { ...codesRule, query: ['before', 'as'] }, sendCodes)
  office.post(
    '/admin/codes',
    {
      ...codesRule,
      body: {
        kind: 'text',
        count: 'text',
        uses: 'text',
        until: 'text',
        note: 'text',
        code: 'text',
      },
    },
    handleCreate,
  )
  office.post('/admin/codes/withdraw', { ...codesRule, body: { code: 'text' } }, handleWithdraw)
  office.get('/admin/rolls', { minRole: 'viewer', target: 'event' }, sendMemberLists)
}

function sendCodesError(reply: FastifyReply, { code, message }: CodesError): FastifyReply {
  const status = code === 'bad_code' ? 422 : code === 'code_taken' ? 409 : 404
  return sendError(reply, status, code, message)
}
