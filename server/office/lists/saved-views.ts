/** Stores a user's list settings: added columns and named views. They apply in any browser. */
import type { FastifyReply } from 'fastify'
import { canSee, err, listColumns, ok } from '../../../engine/index.ts'
import type { AdminList, MyList, MyListsResponse, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { asRecord } from '../../http/request-input.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** With more views, users would struggle to find the right one. */
const MAX_VIEWS = 20
const MAX_NAME_CHARACTERS = 60
/** Enough for all filters of a long list, and below the length limit of a URL. */
const MAX_QUERY_CHARACTERS = 1_000

export function addSavedViewRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendLists = async (
    reply: FastifyReply,
    user: Call<'none'>['user'],
  ): Promise<FastifyReply> => {
    const savedLists = Object.entries(await deps.store.savedViews(user.adminId))
    // The user may have lost access to an event since they saved its views.
    const lists = Object.fromEntries(
      savedLists.filter(([list]) => canSee(user, list.split('/')[0] ?? '')),
    )
    return reply
      .header('cache-control', 'no-store')
      .send({ status: 'success', lists } satisfies MyListsResponse)
  }
  const sendSavedSettings = async (
    { user }: Call<'none'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => sendLists(reply, user)
  const saveListSettings = async (
    { user, store, target, body: input }: Call<'event', never, 'list' | 'columns' | 'views'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const event = target.config
    const list = event.admin.lists.find(({ id }) => id === input.list)
    if (list === undefined) return sendError(reply, 404, 'not_found', 'No list has this name.')
    const settings = parseSettings(list, input)
    if (!settings.ok) return sendError(reply, 422, 'invalid_answers', settings.error)
    await store.saveView(user.adminId, `${event.id}/${list.id}`, settings.value)
    return sendLists(reply, user)
  }
  office.get('/admin/my-lists', { minRole: 'viewer', target: 'none' }, sendSavedSettings)
  office.post(
    '/admin/my-lists',
    { minRole: 'viewer', target: 'event', body: { list: 'text', columns: 'any', views: 'any' } },
    saveListSettings,
  )
}

function parseSettings(
  list: AdminList,
  { columns: columnIds, views }: { readonly columns?: unknown; readonly views?: unknown },
): Result<MyList, string> {
  if (!Array.isArray(columnIds) || !Array.isArray(views))
    return err('Send the columns and the views, each as a list.')
  if (views.length > MAX_VIEWS)
    return err(`You can save ${MAX_VIEWS} views of a list. Delete one first.`)
  const results = views.map((view) => parseView(asRecord(view), list.filters))
  const firstError = results.find((view) => !view.ok)
  if (firstError?.ok === false) return firstError
  const parsedViews = results.flatMap((view) => (view.ok ? [view.value] : []))
  if (new Set(parsedViews.map(({ name }) => name)).size < parsedViews.length)
    return err('You already have a view with this name. Choose another name.')
  // Columns that a changed event file no longer has are dropped.
  return ok({
    columns: listColumns(list)
      .map(({ id }) => id)
      .filter((id) => columnIds.includes(id)),
    views: parsedViews,
  })
}

/** Parses a named view. Drops the search text, which may be a person's name. */
function parseView(
  view: Readonly<Record<string, unknown>>,
  filters: AdminList['filters'],
): Result<MyList['views'][number], string> {
  const name = typeof view['name'] === 'string' ? view['name'].trim() : ''
  const query = typeof view['query'] === 'string' ? view['query'] : ''
  if (name === '') return err('Enter a name for the view.')
  if (name.length > MAX_NAME_CHARACTERS)
    return err(`The name of a view can have at most ${MAX_NAME_CHARACTERS} characters.`)
  if (query.length > MAX_QUERY_CHARACTERS)
    return err('A view cannot have so many filters. Remove some of them.')
  const params = new URLSearchParams(query)
  for (const { kind, sentAs } of filters) if (kind === 'search') params.delete(sentAs)
  params.delete('page')
  return ok({ name, query: params.toString() })
}
