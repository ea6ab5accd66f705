/** A user's saved views after the user has lost access to an event. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MyListsResponse } from '../../../../engine/index.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { buildTwoEventsOfOneAccount, addOfficeList } from '../../small-event.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'

const [EVENT, LOST_EVENT] = ['sample2026', 'other2026'] as const
let server: TestApp
beforeAll(async () => {
  const eventFiles = Object.entries(buildTwoEventsOfOneAccount()).map(([name, text]) => [
    name,
    addOfficeList(text, name.replace('.yaml', '')),
  ])
  server = await startTestApp({ clock: '2026-02-02', events: Object.fromEntries(eventFiles) })
})
afterAll(() => server.close())

test('a user who loses access to an event no longer gets the names of their saved views of it', async () => {
  const { store } = server.deps
  const permissions = { role: 'viewer', events: null } as const
  await store.addAdmin('asha', await hashCheaply(PASSWORD), server.now(), permissions)
  const asha = await signIn(server, 'asha')
  const saveView = async (event: string) =>
    (
      await server.app.inject({
        method: 'POST',
        url: '/admin/my-lists/',
        headers: { authorization: `Bearer ${asha.token}` },
        payload: {
          event,
          list: event,
          columns: [],
          views: [{ name: `View of ${event}`, query: '' }],
        },
      })
    ).json<{ lists: object }>()
  const readLists = async () =>
    Object.keys(((await asha.json('/admin/my-lists/')) as unknown as MyListsResponse).lists)
  await saveView(EVENT)
  await saveView(LOST_EVENT)
  const [list, lostList] = [`${EVENT}/${EVENT}`, `${LOST_EVENT}/${LOST_EVENT}`]
  expect((await readLists()).toSorted()).toEqual([lostList, list])

  await store.setPermissions('asha', { role: 'viewer', events: [EVENT] })
  expect(await readLists()).toEqual([list])
  expect(Object.keys((await saveView(EVENT)).lists)).toEqual([list])
  // The views are not deleted: they return with the access.
  await store.setPermissions('asha', permissions)
  expect((await readLists()).toSorted()).toEqual([lostList, list])
})
