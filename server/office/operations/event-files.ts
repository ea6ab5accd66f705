/** Serves the office's page of event files: which version is served and why, and reloading. */
import path from 'node:path'
import type { FastifyReply } from 'fastify'
import type { EventFilesAnswer, WireEventFile } from '../../../engine/api.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import { REMOVED } from '../../events/versions/last-valid-version.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** Characters of a version's hash that identify it, as in the log. */
const VERSION_CHARACTERS = 12

export function servedFileRoutes(office: OfficeRoutes, deps: Deps): void {
  const answer = (): EventFilesAnswer => ({ status: 'success', files: [...filesOf(deps)] })
  const list = async (_call: Call<'every'>, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header('cache-control', 'no-store').send(answer())
  const reload = async ({ admin }: Call<'every'>, reply: FastifyReply): Promise<FastifyReply> => {
    await deps.events.reload()
    await deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what: 'had the event files read again',
      eventId: null,
      regNo: null,
    })
    return reply.send(answer())
  }
  // The content of a file belongs to all events, and the reason for refusing it may name another event.
  const owners = { least: 'owner', about: 'every' } as const
  office.get('/admin/served-files', owners, list)
  office.post('/admin/served-files/reload', owners, reload)
}

/** Lists files that need attention first. */
function filesOf({
  events,
  environment,
}: Pick<Deps, 'events' | 'environment'>): readonly WireEventFile[] {
  // Paths on the server are not shown.
  const named = (findings: string | undefined): string | null =>
    findings?.replaceAll(`${environment.eventsDir}${path.sep}`, '') ?? null
  const refused = new Map(
    events
      .refused()
      .map(({ file, why, findings }) => [file, { why, findings: named(findings) }] as const),
  )
  const served = events.all().map((event): WireEventFile => {
    const file = `${event.config.id}.yaml`
    const told = refused.get(file) ?? null
    refused.delete(file)
    const { title, id } = event.config
    return { file, event_id: id, title, version: versionOf(event), ...standing(event, told) }
  })
  const others = [...refused].map(([file, told]): WireEventFile => ({
    file,
    event_id: null,
    title: null,
    version: null,
    is: 'refused',
    ...told,
  }))
  return [
    ...others,
    ...served.toSorted((a, b) => Number(a.is === 'served') - Number(b.is === 'served')),
  ]
}

const versionOf = ({ hash }: ServedEvent): string => hash.slice(0, VERSION_CHARACTERS)

type Told = Pick<WireEventFile, 'why' | 'findings'>

function standing(
  { isGone, config }: ServedEvent,
  told: Told | null,
): Told & Pick<WireEventFile, 'is'> {
  if (isGone === true)
    return {
      is: 'gone',
      why: REMOVED(config.id),
      findings: null,
    }
  return told === null ? { is: 'served', why: null, findings: null } : { is: 'before', ...told }
}
