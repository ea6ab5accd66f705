/** Serves the form's look-ups of discount codes and member list numbers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getInvalidMessage, getOwn } from '../../engine/index.ts'
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { DiscountCodeResponse, MemberRecordResponse } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import { sendError } from '../http/error-response.ts'
import { asRecord } from '../http/request-input.ts'
import { rejectNonText } from '../http/text-only-json.ts'
import { findMemberRow, getCodeStatus, pickConditionCells } from './find-valid-code-or-member.ts'
import type { GuessLimit } from './guessing-limits.ts'
import { getCodeMessage } from './registration-errors.ts'

/** The maximum length of a typed code or member number. */
const MAX_TYPED_CHARACTERS = 200

export async function addLookupRoutes(
  app: FastifyInstance,
  deps: Deps,
  guessLimit: GuessLimit,
): Promise<void> {
  const createLookupHandler =
    (
      names: readonly string[],
      handle: (
        event: EventConfig,
        body: Readonly<Record<string, unknown>>,
        request: FastifyRequest,
        reply: FastifyReply,
      ) => Promise<FastifyReply>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      const { id } = request.params as { readonly id: string }
      const served = deps.events.findById(id)
      if (served === null)
        return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
      if (await guessLimit.isTooMany(request, reply)) return reply
      const { body } = request
      if (rejectNonText(reply, body, names)) return reply
      return handle(served.config, asRecord(body), request, reply)
    }

  const handleCodeLookup = createLookupHandler(['code'], async (event, body, request, reply) => {
    const typed = readTypedValue(body, 'code')
    const status = await getCodeStatus(deps, event, typed ?? '', deps.clock())
    const result = status.is === 'unknown' ? 'wrong' : 'right'
    if (await guessLimit.isResultWithheld(request, reply, result)) return reply
    if (status.is !== 'valid')
      return status.is === 'unknown'
        ? sendError(reply, 404, 'code_unknown', getCodeMessage(status.is))
        : sendError(reply, 409, 'code_spent', getCodeMessage(status.is))
    const label = event.codeKinds.find(({ id }) => id === status.kind)?.label ?? status.kind
    const response: DiscountCodeResponse = { status: 'success', kind: status.kind, label }
    return reply.send(response)
  })

  const handleMemberLookup = createLookupHandler(
    ['field', 'value'],
    async (event, body, request, reply) => {
      const field = event.fields.find(({ id }) => id === readTypedValue(body, 'field'))
      if (field?.roll === undefined)
        return sendError(reply, 422, 'no_such_field', SERVER_MESSAGES.request.noMemberList)
      const row = await findMemberRow(
        deps,
        event,
        field.roll,
        readTypedValue(body, 'value') ?? '',
        deps.clock(),
      )
      if (await guessLimit.isResultWithheld(request, reply, row === null ? 'wrong' : 'right'))
        return reply
      if (row === null) return sendError(reply, 404, 'not_on_roll', getInvalidMessage(field))
      const shownColumns = event.memberLists.find(({ id }) => id === field.roll)?.shows ?? []
      const shownCells = shownColumns.map((id) => [id, getOwn(row, id) ?? ''] as const)
      const response: MemberRecordResponse = {
        status: 'success',
        row: { ...Object.fromEntries(shownCells), ...pickConditionCells(event, field.roll, row) },
      }
      return reply.send(response)
    },
  )

  for (const slash of ['', '/']) {
    app.post(`/api/events/:id/code${slash}`, handleCodeLookup)
    app.post(`/api/events/:id/roll${slash}`, handleMemberLookup)
  }
}

/** Reads a typed value; a JSON number counts as its text. Null if it is neither a string nor a number, or too long. */
function readTypedValue(body: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = getOwn(body, name)
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.length <= MAX_TYPED_CHARACTERS ? text.trim() : null
}
