/**
 * Receives a file as soon as it is chosen in the form.
 * It is checked and stored like a file sent with the answers, under a token that only the sender gets. The token does
 * not give read access.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  assertNever,
  dayOf,
  err,
  readFileName,
  instant,
  formatIsoIndia,
  ok,
  checkRegistrationOpen,
  getOwn,
} from '../../../engine/index.ts'
import { SERVER_MESSAGES } from '../../../engine/messages.ts'
import type { EventConfig, Field, Result } from '../../../engine/index.ts'
import type { UploadResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { DraftProof } from '../../storage/index.ts'
import { readBody } from '../../http/request-body.ts'
import type { Body, SentFile } from '../../http/request-body.ts'
import { addMultipartRoutes } from '../../http/event-route-table.ts'
import { createAddressLimit } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { sendError } from '../../http/error-response.ts'
import { UNKNOWN_LINK } from '../access-link.ts'
import { hashToken, createToken } from './draft-uploads.ts'
import {
  refuseAnswers,
  refuseBody,
  refuseClosed,
  refuseMissingFile,
  sendRefusal,
} from '../registration-errors.ts'
import type { Refusal } from '../registration-errors.ts'
import { describeWrongContent, getFileLimits } from './validate-uploads.ts'
import { DRAFT_LIFETIME_MS } from './store-uploaded-files.ts'

/** As for registrations, several delegates may share one address. */
const UPLOADS_PER_ADDRESS: Allowance = { maxAttempts: 30, windowMs: 60_000 }
/**
 * Many delegates behind one address who choose files repeatedly stay below this limit in a day. A script that fills
 * the disk exceeds it.
 */
const UPLOADS_PER_ADDRESS_AND_DAY: Allowance = { maxAttempts: 300, windowMs: 24 * 60 * 60_000 }

export async function addUploadRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const isRateLimited = createAddressLimit(deps, UPLOADS_PER_ADDRESS)
  const isRateLimitedToday = createAddressLimit(deps, UPLOADS_PER_ADDRESS_AND_DAY)

  const handleUpload = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const event = findEvent(deps, request)
    if (event === null) return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
    if ((await isRateLimited(request, reply)) || (await isRateLimitedToday(request, reply)))
      return reply
    const openState = checkRegistrationOpen(event, dayOf(deps.clock()))
    if (!openState.open) return sendRefusal(reply, refuseClosed(openState.text))
    const body = await readBody(request, getFileLimits(event), deps.uploads)
    if (!body.ok) return sendRefusal(reply, refuseBody(event, body.error))
    const draft = await storeDraft(deps, event, body.value, event.fields)
    return draft.ok ? reply.code(201).send(draft.value) : sendRefusal(reply, draft.error)
  }

  const handleDelete = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const event = findEvent(deps, request)
    if (event === null) return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
    if (await isRateLimited(request, reply)) return reply
    const body = await readBody(request, new Map(), deps.uploads)
    const token = body.ok ? getOwn(body.value.values, 'token') : null
    if (typeof token !== 'string')
      return sendError(reply, 422, 'bad_request', SERVER_MESSAGES.request.noToken)
    // The response does not reveal whether there was such an upload.
    await deps.store.deleteDraftUpload(event.id, hashToken(token))
    return reply.send({ status: 'success' })
  }

  await addMultipartRoutes(app, (scope) => {
    for (const slash of ['', '/']) {
      scope.post(`/api/events/:id/proofs${slash}`, handleUpload)
      scope.post(`/api/events/:id/proofs/forget${slash}`, handleDelete)
    }
  })
}

function findEvent(deps: Deps, request: FastifyRequest): EventConfig | null {
  const { id } = request.params as { readonly id: string }
  return deps.events.findById(id)?.config ?? null
}

/** Returns the only file in a request body, with its field. */
function getSingleFile(
  { files }: Body,
  fields: readonly Field[],
): (SentFile & { readonly field: Field }) | null {
  const [[id, sentFile] = []] = files
  const field = fields.find((field) => field.id === id)
  return files.size === 1 && sentFile !== undefined && field !== undefined
    ? { ...sentFile, field }
    : null
}

/**
 * Stores the single file of a body under a token for a few days. Before responding, deletes files that were not
 * stored.
 */
export async function storeDraft(
  ...args: Parameters<typeof storeDraftFile>
): ReturnType<typeof storeDraftFile> {
  const [deps, , { files }] = args
  try {
    return await storeDraftFile(...args)
  } finally {
    for (const { file } of files.values()) await deps.uploads.discard(file)
  }
}

async function storeDraftFile(
  deps: Deps,
  event: EventConfig,
  body: Body,
  fields: readonly Field[],
  owner?: DraftProof['owner'],
): Promise<Result<UploadResponse, Refusal>> {
  const upload = getSingleFile(body, fields)
  if (upload === null) return err(refuseMissingFile())
  const { field, file } = upload
  const checkedName = readFileName(field, upload.name)
  if (!checkedName.ok) return err(refuseAnswers({ [field.id]: checkedName.error }))
  const name = checkedName.value
  const type = await deps.uploads.detectType(file, name, field.accept ?? [])
  if (file.bytes === 0 || type === null)
    return err(refuseAnswers({ [field.id]: describeWrongContent(field) }))
  const strippedFile = await deps.uploads.removePhotoMetadata(file, type)
  await deps.uploads.storeFile(strippedFile)
  const at = deps.clock()
  const token = createToken()
  const { sha256, bytes } = strippedFile
  const sentFile = { eventId: event.id, field: field.id, sha256, name, type, bytes, at }
  const draft = owner === undefined ? sentFile : { ...sentFile, owner }
  const saveResult = await deps.store.saveDraftUpload(hashToken(token), draft)
  switch (saveResult) {
    case 'saved':
      return ok({
        status: 'success',
        token,
        name,
        bytes,
        until: formatIsoIndia(instant(at + DRAFT_LIFETIME_MS)),
      })
    case 'no_room':
      return err(refuseBody(event, { code: 'no_room' }))
    case 'link_revoked':
      return err(UNKNOWN_LINK)
    default:
      return assertNever(saveResult)
  }
}
