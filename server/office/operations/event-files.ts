/** Serves the Event files page: the served version and the problems of each file, and reloading. */
import path from 'node:path'
import type { FastifyReply } from 'fastify'
import type { EventFilesResponse, WireEventFile } from '../../../engine/api.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import { formatRemovedMessage } from '../../events/versions/last-valid-version.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** Length of a version's short hash, as in the log. */
const VERSION_CHARACTERS = 12

export function addOfficeEventFileRoutes(office: OfficeRoutes, deps: Deps): void {
  const buildResponse = (): EventFilesResponse => ({
    status: 'success',
    files: [...listFiles(deps)],
  })
  const sendEventFiles = async (
    _call: Call<'all events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => reply.header('cache-control', 'no-store').send(buildResponse())
  const reloadEventFiles = async (
    { user }: Call<'all events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    await deps.events.reload()
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: 'reloaded the event files',
      eventId: null,
      regNo: null,
    })
    return reply.send(buildResponse())
  }
  // Requires access to all events, because the reason for rejecting a file may mention another event.
  const rule = { minRole: 'owner', target: 'all events' } as const
  office.get('/admin/served-files', rule, sendEventFiles)
  office.post('/admin/served-files/reload', rule, reloadEventFiles)
}

/** Lists the event files. Files that need attention come first. */
function listFiles({
  events,
  environment,
}: Pick<Deps, 'events' | 'environment'>): readonly WireEventFile[] {
  // Paths on the server are not shown.
  const hidePath = (findings: string | undefined): string | null =>
    findings?.replaceAll(`${environment.eventsDir}${path.sep}`, '') ?? null
  const refusedById = new Map(
    events
      .refusedFiles()
      .map(
        ({ file, why: reason, findings }) =>
          [file, { why: reason, findings: hidePath(findings) }] as const,
      ),
  )
  const servedFiles = events.all().map((event): WireEventFile => {
    const file = `${event.config.id}.yaml`
    const problem = refusedById.get(file) ?? null
    refusedById.delete(file)
    const { title, id } = event.config
    return {
      file,
      event_id: id,
      title,
      version: formatShortVersion(event),
      ...describeState(event, problem),
    }
  })
  const otherFiles = [...refusedById].map(([file, problem]): WireEventFile => ({
    file,
    event_id: null,
    title: null,
    version: null,
    is: 'refused',
    ...problem,
  }))
  return [
    ...otherFiles,
    ...servedFiles.toSorted((a, b) => Number(a.is === 'served') - Number(b.is === 'served')),
  ]
}

const formatShortVersion = ({ hash }: ServedEvent): string => hash.slice(0, VERSION_CHARACTERS)

type FileProblem = Pick<WireEventFile, 'why' | 'findings'>

function describeState(
  { isGone: isRemoved, config }: ServedEvent,
  problem: FileProblem | null,
): FileProblem & Pick<WireEventFile, 'is'> {
  if (isRemoved === true)
    return {
      is: 'gone',
      why: formatRemovedMessage(config.id),
      findings: null,
    }
  return problem === null
    ? { is: 'served', why: null, findings: null }
    : { is: 'before', ...problem }
}
