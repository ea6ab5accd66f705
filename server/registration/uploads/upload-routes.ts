/**
 * Receives a proof as soon as it is chosen in the form.
 * It is checked and stored like one sent with the answers, under a token that only the sender gets; the token
 * does not allow reading it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  dayOf,
  err,
  fileName,
  instant,
  isoIndia,
  ok,
  checkRegistrationOpen,
  getOwn,
} from '../../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../../engine/messages.ts'
import type { EventConfig, Field, Result } from '../../../engine/index.ts'
import type { ProofAnswer } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { readBody } from '../../http/request-body.ts'
import type { Body, SentFile } from '../../http/request-body.ts'
import { partsRoutes } from '../../http/event-route-table.ts'
import { limitByAddress } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { refuse } from '../../http/error-response.ts'
import { hashOfToken, newToken } from './draft-uploads.ts'
import {
  answersRefused,
  bodyRefused,
  closedRefused,
  noFileRefused,
  sendRefusal,
} from '../registration-errors.ts'
import type { Refusal } from '../registration-errors.ts'
import { fileLimitsOf } from './validate-uploads.ts'
import { DRAFT_MS } from './store-uploaded-files.ts'

/** The same as for registrations: several delegates may share one address. */
const PROOFS_PER_ADDRESS: Allowance = { triesMax: 30, windowMs: 60_000 }
/**
 * Many delegates behind one address who choose files repeatedly stay below this in a day; a script that fills the
 * disk does not.
 */
const PROOFS_PER_ADDRESS_AND_DAY: Allowance = { triesMax: 300, windowMs: 24 * 60 * 60_000 }

export async function proofCalls(app: FastifyInstance, deps: Deps): Promise<void> {
  const isTooOften = limitByAddress(deps, PROOFS_PER_ADDRESS)
  const isTooOftenToday = limitByAddress(deps, PROOFS_PER_ADDRESS_AND_DAY)

  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const event = eventOf(deps, request)
    if (event === null) return refuse(reply, 404, 'no_such_event', REFUSAL_MESSAGES.noSuchEvent)
    if ((await isTooOften(request, reply)) || (await isTooOftenToday(request, reply))) return reply
    const open = checkRegistrationOpen(event, dayOf(deps.clock()))
    if (!open.open) return sendRefusal(reply, closedRefused(open.text))
    const body = await readBody(request, fileLimitsOf(event), deps.uploads)
    if (!body.ok) return sendRefusal(reply, bodyRefused(event, body.error))
    const kept = await keepProof(deps, event, body.value, event.fields)
    return kept.ok ? reply.code(201).send(kept.value) : sendRefusal(reply, kept.error)
  }

  const forget = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const event = eventOf(deps, request)
    if (event === null) return refuse(reply, 404, 'no_such_event', REFUSAL_MESSAGES.noSuchEvent)
    if (await isTooOften(request, reply)) return reply
    const body = await readBody(request, new Map(), deps.uploads)
    const token = body.ok ? getOwn(body.value.values, 'token') : null
    if (typeof token !== 'string')
      return refuse(reply, 422, 'bad_request', REFUSAL_MESSAGES.request.noToken)
    // The response does not reveal whether there was one.
    await deps.store.forgetDraft(event.id, hashOfToken(token))
    return reply.send({ status: 'success' })
  }

  await partsRoutes(app, (scope) => {
    for (const slash of ['', '/']) {
      scope.post(`/api/events/:id/proofs${slash}`, send)
      scope.post(`/api/events/:id/proofs/forget${slash}`, forget)
    }
  })
}

function eventOf(deps: Deps, request: FastifyRequest): EventConfig | null {
  const { id } = request.params as { readonly id: string }
  return deps.events.byId(id)?.config ?? null
}

/** Returns the single file of a body, under its field. */
function oneFileOf(
  { files }: Body,
  fields: readonly Field[],
): (SentFile & { readonly field: Field }) | null {
  const [[id, sent] = []] = files
  const field = fields.find((one) => one.id === id)
  return files.size === 1 && sent !== undefined && field !== undefined ? { ...sent, field } : null
}

/**
 * Stores the single file of a body under a token for a while. Deletes files that were not kept before responding.
 */
export async function keepProof(...given: Parameters<typeof keep>): ReturnType<typeof keep> {
  const [deps, , { files }] = given
  try {
    return await keep(...given)
  } finally {
    for (const { file } of files.values()) await deps.uploads.discard(file)
  }
}

async function keep(
  deps: Deps,
  event: EventConfig,
  body: Body,
  fields: readonly Field[],
): Promise<Result<ProofAnswer, Refusal>> {
  const sent = oneFileOf(body, fields)
  if (sent === null) return err(noFileRefused())
  const { field, file } = sent
  const named = fileName(field, sent.name)
  if (!named.ok) return err(answersRefused({ [field.id]: named.error }))
  const name = named.value
  const type = await deps.uploads.typeOf(file, name, field.accept ?? [])
  if (file.bytes === 0 || type === null) return err(answersRefused({ [field.id]: field.invalid }))
  const bare = await deps.uploads.bared(file, type)
  await deps.uploads.keep(bare)
  const at = deps.clock()
  const token = newToken()
  const { sha256, bytes } = bare
  const draft = { eventId: event.id, field: field.id, sha256, name, type, bytes, at }
  return (await deps.store.keepDraft(hashOfToken(token), draft))
    ? ok({ status: 'success', token, name, bytes, until: isoIndia(instant(at + DRAFT_MS)) })
    : err(bodyRefused(event, { code: 'no_room' }))
}
