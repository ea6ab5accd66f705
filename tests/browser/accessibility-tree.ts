/** The accessibility tree as the browser hands it to a screen reader: not what the markup means to say, but what is said. */
import type { Page } from 'playwright-core'

export type Told = {
  readonly role: string
  readonly name: string
  readonly description: string
  readonly invalid: boolean
  readonly required: boolean
}

// `Date` is Chromium's own word for a date input.
const controls = new Set([
  'textbox',
  'combobox',
  'radio',
  'checkbox',
  'switch',
  'spinbutton',
  'button',
  'menuitem',
  'Date',
])
const flat = (text: unknown): string =>
  String(text ?? '')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim()

/** Every control of the page, in no order. */
export async function controlsOf(page: Page): Promise<readonly Told[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    return nodes.flatMap((node): readonly Told[] => {
      const role = flat(node.role?.value)
      if (node.ignored || !controls.has(role)) return []
      const property = (name: string): unknown =>
        node.properties?.find((one) => one.name === name)?.value.value
      return [
        {
          role,
          name: flat(node.name?.value),
          description: flat(node.description?.value),
          invalid: property('invalid') === 'true',
          required: property('required') === true,
        },
      ]
    })
  } finally {
    await session.detach()
  }
}

const STATES: Readonly<Record<string, (value: unknown) => string>> = {
  checked: (value) => (value === 'true' ? 'checked' : 'not checked'),
  invalid: (value) => (value === 'true' ? 'invalid entry' : ''),
  required: (value) => (value === true ? 'required' : ''),
  disabled: (value) => (value === true ? 'unavailable' : ''),
  expanded: (value) => (value === true ? 'expanded' : 'collapsed'),
}

/** What has the focus, as a screen reader says it: name, role, value, states, description. */
export async function focusedOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    // The page itself is focused too; the innermost one is what is said.
    const node = nodes.findLast(({ properties }) =>
      properties?.some(({ name, value }) => name === 'focused' && value.value === true),
    )
    const states = (node?.properties ?? []).map(({ name, value }) => STATES[name]?.(value.value))
    return [
      flat(node?.name?.value),
      flat(node?.role?.value),
      flat(node?.value?.value),
      ...states,
      flat(node?.description?.value),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join(', ')
  } finally {
    await session.detach()
  }
}

/** What is said without anybody having gone there: collected from the moment a page opens. To be installed before it does. */
export async function listen(
  page: Page,
): Promise<{ readonly said: () => Promise<readonly string[]> }> {
  await page.addInitScript(() => {
    const heard: string[] = []
    const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]'
    const last = new Map<Element, string>()
    let changedAt = 0
    const hear = (): void => {
      changedAt = performance.now()
      for (const region of document.querySelectorAll(live)) {
        const texts = document.createTreeWalker(region, NodeFilter.SHOW_TEXT)
        const parts: string[] = []
        while (texts.nextNode() !== null) parts.push(texts.currentNode.textContent ?? '')
        const text = parts.join(' ').replaceAll(/\s+/g, ' ').trim()
        // What stands in a page as it comes is read in its place and not said by itself.
        const isNews = document.readyState !== 'loading' && last.get(region) !== text
        if (text !== '' && isNews) heard.push(text)
        last.set(region, text)
      }
    }
    new MutationObserver(hear).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    /** When the page has been still for a while, in its own time: a slow machine makes it longer. */
    const still = (): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (performance.now() - changedAt > 150) resolve()
          else setTimeout(look, 50)
        }
        setTimeout(look, 50)
      })
    Object.assign(window, { heard, still })
  })
  return {
    said: () =>
      page.evaluate(async () => {
        const { heard, still } = window as unknown as { heard: string[]; still(): Promise<void> }
        await still()
        return heard.splice(0)
      }),
  }
}
