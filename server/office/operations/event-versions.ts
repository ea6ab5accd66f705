/**
 * Serves the versions of an event file: when each was loaded, a description of its changes, and its text.
 * An event file contains no secrets and no delegates' data: gateway keys are environment variables, bank details are
 * shown to every payer, and discount codes and member lists are in the database.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { describeDiff, diffEvents } from '../../../engine/authoring.ts'
import { formatIsoIndia } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type {
  EventVersionsResponse,
  VersionDifferenceResponse,
  VersionTextResponse,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { readVersion } from '../../events/versions/version-approval.ts'
import { isSameVersion } from '../../events/versions/version-with-renamed-keys.ts'
import { sendError } from '../../http/error-response.ts'
import type { StoredVersion } from '../../storage/index.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

const PAGE_ROWS = 20

export function addEventVersionRoutes(office: OfficeRoutes, { store }: Deps): void {
  const isVersionOf = async (eventId: string, hash: string): Promise<boolean> =>
    (await store.eventFile(hash))?.eventId === eventId

  const sendVersions = async (
    { target, query }: Call<'event', 'before'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const before = query.before === '' ? null : query.before
    const rows = await store.eventVersions(target.config.id, before, PAGE_ROWS + 1)
    const versionGroups = groupSameVersions(rows)
    // The last group may be incomplete, so the next page repeats it in full.
    const isLast = rows.length <= PAGE_ROWS || versionGroups.length === 1
    const shownGroups = isLast ? versionGroups : versionGroups.slice(0, -1)
    const response: EventVersionsResponse = {
      status: 'success',
      versions: shownGroups.map((versions, index) => ({
        version: versions[0].hash,
        loaded_at: formatIsoIndia(versions.at(-1)?.firstServedAt ?? versions[0].firstServedAt),
        last_loaded_at: formatIsoIndia(versions[0].lastServedAt),
        is_live: target.isGone !== true && versions.some(({ hash }) => hash === target.hash),
        previous: versionGroups[index + 1]?.[0].hash ?? null,
      })),
      before: isLast ? null : (shownGroups.at(-1)?.at(-1)?.hash ?? null),
    }
    return sendWithoutCaching(reply, response)
  }

  const sendDifference = async (
    { target, query }: Call<'event', 'version' | 'from'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const hashes = [query.from, query.version]
    const configs: (EventConfig | null)[] = []
    for (const hash of hashes) {
      if (!(await isVersionOf(target.config.id, hash))) return sendUnknownVersion(reply)
      // Pauses between two versions, so that requests can proceed.
      await yieldToEventLoop()
      configs.push((await readVersion(store, hash))?.config ?? null)
    }
    const [oldConfig = null, newConfig = null] = configs
    const response: VersionDifferenceResponse = {
      status: 'success',
      version: query.version,
      from: query.from,
      unreadable: hashes.filter((_, index) => configs[index] === null),
      groups:
        oldConfig === null || newConfig === null
          ? []
          : describeDiff(diffEvents(oldConfig, newConfig), oldConfig, newConfig).map(
              ({ title, changes }) => ({
                title,
                changes: [...changes],
              }),
            ),
    }
    return sendWithoutCaching(reply, response)
  }

  const sendText = async (
    { target, query }: Call<'event', 'version'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const storedFile = await store.eventFile(query.version)
    if (storedFile?.eventId !== target.config.id) return sendUnknownVersion(reply)
    const { hash: version, text } = storedFile
    const response: VersionTextResponse = { status: 'success', version, text }
    return sendWithoutCaching(reply, response)
  }

  const rule = { minRole: 'treasurer', target: 'event' } as const
  office.get('/admin/event-versions', { ...rule, query: ['before'] }, sendVersions)
  office.get(
    '/admin/event-versions/difference',
    { ...rule, query: ['version', 'from'] },
    sendDifference,
  )
  office.get('/admin/event-versions/text', { ...rule, query: ['version'] }, sendText)
}

type VersionGroup = [StoredVersion, ...StoredVersion[]]

/** Groups adjacent rows of the same version, which was stored once with old and once with new YAML keys. */
function groupSameVersions(rows: readonly StoredVersion[]): readonly VersionGroup[] {
  const groups: VersionGroup[] = []
  for (const row of rows) {
    const group = groups.at(-1)
    if (group !== undefined && isSameVersion(group[0], row)) group.push(row)
    else groups.push([row])
  }
  return groups
}

/** Sends the same response for an unknown version and for a version of another event. */
const sendUnknownVersion = (reply: FastifyReply): FastifyReply =>
  sendError(reply, 404, 'not_found', 'This event has no such version.')

const sendWithoutCaching = (reply: FastifyReply, response: object): FastifyReply =>
  reply.header('cache-control', 'no-store').send(response)
