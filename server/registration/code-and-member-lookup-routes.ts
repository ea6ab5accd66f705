/** Serves the form's look-ups while it is filled in: discount codes and member list numbers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidMessage, getOwn } from '../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { CodeAnswer, MemberRecordAnswer } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import { refuse } from '../http/error-response.ts'
import { recordOf } from '../http/request-input.ts'
import { refusesOtherThanText } from '../http/text-only-json.ts'
import { codeStatus } from './discount-code-status.ts'
import { cellsThatCount, rowOf } from './look-up-pricing-context.ts'
import type { Guesses } from './code-guessing-limit.ts'
import { codeSentence } from './registration-errors.ts'

/** Answers in a form are far shorter. */
const TYPED_CHARACTERS_MAX = 200

export async function outsideCalls(
  app: FastifyInstance,
  deps: Deps,
  guesses: Guesses,
): Promise<void> {
  const asking =
    (
      names: readonly string[],
      answer: (
        event: EventConfig,
        body: Readonly<Record<string, unknown>>,
        request: FastifyRequest,
        reply: FastifyReply,
      ) => Promise<FastifyReply>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      const { id } = request.params as { readonly id: string }
      const served = deps.events.byId(id)
      if (served === null) return refuse(reply, 404, 'no_such_event', REFUSAL_MESSAGES.noSuchEvent)
      if (await guesses.isTooMany(request, reply)) return reply
      const { body } = request
      if (refusesOtherThanText(reply, body, names)) return reply
      return answer(served.config, recordOf(body), request, reply)
    }

  const code = asking(['code'], async (event, body, request, reply) => {
    const typed = typedIn(body, 'code')
    const fact = await codeStatus(deps, event, typed ?? '', deps.clock())
    await guesses.count(request, fact.is === 'unknown' ? 'wrong' : 'right')
    if (fact.is !== 'valid')
      return fact.is === 'unknown'
        ? refuse(reply, 404, 'code_unknown', codeSentence(fact.is))
        : refuse(reply, 409, 'code_spent', codeSentence(fact.is))
    const label = event.codeKinds.find(({ id }) => id === fact.kind)?.label ?? fact.kind
    const answer: CodeAnswer = { status: 'success', kind: fact.kind, label }
    return reply.send(answer)
  })

  const roll = asking(['field', 'value'], async (event, body, request, reply) => {
    const field = event.fields.find(({ id }) => id === typedIn(body, 'field'))
    if (field?.roll === undefined)
      return refuse(reply, 422, 'no_such_field', REFUSAL_MESSAGES.request.noMemberList)
    const row = await rowOf(deps, event, field.roll, typedIn(body, 'value') ?? '', deps.clock())
    await guesses.count(request, row === null ? 'wrong' : 'right')
    if (row === null) return refuse(reply, 404, 'not_on_roll', invalidMessage(field))
    const shows = event.memberLists.find(({ id }) => id === field.roll)?.shows ?? []
    const shown = shows.map((id) => [id, getOwn(row, id) ?? ''] as const)
    const answer: MemberRecordAnswer = {
      status: 'success',
      row: { ...Object.fromEntries(shown), ...cellsThatCount(event, field.roll, row) },
    }
    return reply.send(answer)
  })

  for (const slash of ['', '/']) {
    app.post(`/api/events/:id/code${slash}`, code)
    app.post(`/api/events/:id/roll${slash}`, roll)
  }
}

/** Reads a typed value; a JSON number counts as its text. Null: not a value that can be typed. */
function typedIn(body: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = getOwn(body, name)
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.length <= TYPED_CHARACTERS_MAX ? text.trim() : null
}
