/** The call for what the registrations of a list add up to: items and options, people who come along, places. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { placeRows, soldRows } from '../../engine/index.ts'
import type { SoldAnswer } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import { queryOf } from './lists.ts'
import { readListQuery } from './query.ts'
import { requireAdmin } from './guard.ts'

export function soldRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const sold = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    const query = queryOf(request)
    const event = deps.events.byId(query.get('event_id') ?? '')?.config
    const list = event?.admin.lists.find(({ id }) => id === query.get('list_id'))
    if (event === undefined || list === undefined)
      return refuse(reply, 404, 'not_found', 'There is no list of this name.')
    const asked = readListQuery(event, list, query, deps.clock())
    if (!asked.ok) return refuse(reply, 400, 'bad_query', asked.error)
    const fields = event.fields.filter(({ type }) => type === 'people')
    const { sums, people, capped } = await deps.store.soldIn(
      asked.value,
      fields.map(({ id }) => id),
    )
    await deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what: `saw the sums of the list ${list.id}`,
      eventId: event.id,
      regNo: null,
      look: `sums ${list.id}`,
    })
    const answer: SoldAnswer = {
      status: 'success',
      capped,
      rows: soldRows(event, sums),
      people: people.map(({ field, count, paid }) => ({
        id: field,
        label: fields.find(({ id }) => id === field)?.label ?? field,
        count,
        paid,
      })),
      places: placeRows(event, await deps.store.placesTaken(event.id)),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }
  for (const path of paths('/admin/sold'))
    app.get(
      path,
      {
        config: {
          office: { least: 'viewer', about: (request) => queryOf(request).get('event_id') },
        },
      },
      sold,
    )
}
