/** Reads the accessibility tree that the browser passes to a screen reader, not the markup. */
import type { Page } from 'playwright-core'

export type AccessibleControl = {
  readonly role: string
  readonly name: string
  readonly description: string
  readonly invalid: boolean
  readonly required: boolean
}

// `Date` is Chromium's role for a date input.
const CONTROL_ROLES = new Set([
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
const normaliseText = (text: unknown): string =>
  String(text ?? '')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim()

/** Returns every control on the page, in no particular order. */
export async function readControls(page: Page): Promise<readonly AccessibleControl[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    return nodes.flatMap((node): readonly AccessibleControl[] => {
      const role = normaliseText(node.role?.value)
      if (node.ignored || !CONTROL_ROLES.has(role)) return []
      const readProperty = (name: string): unknown =>
        node.properties?.find((candidate) => candidate.name === name)?.value.value
      return [
        {
          role,
          name: normaliseText(node.name?.value),
          description: normaliseText(node.description?.value),
          invalid: readProperty('invalid') === 'true',
          required: readProperty('required') === true,
        },
      ]
    })
  } finally {
    await session.detach()
  }
}

const STATE_FORMATTERS: Readonly<Record<string, (value: unknown) => string>> = {
  checked: (value) => (value === 'true' ? 'checked' : 'not checked'),
  invalid: (value) => (value === 'true' ? 'invalid entry' : ''),
  required: (value) => (value === true ? 'required' : ''),
  disabled: (value) => (value === true ? 'unavailable' : ''),
  expanded: (value) => (value === true ? 'expanded' : 'collapsed'),
}

/** Returns the focused element as a screen reader announces it: name, role, value, states, description. */
export async function readFocused(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    // The document is focused too; only the innermost element is announced.
    const node = nodes.findLast(({ properties }) =>
      properties?.some(({ name, value }) => name === 'focused' && value.value === true),
    )
    const states = (node?.properties ?? []).map(({ name, value }) =>
      STATE_FORMATTERS[name]?.(value.value),
    )
    return [
      normaliseText(node?.name?.value),
      normaliseText(node?.role?.value),
      normaliseText(node?.value?.value),
      ...states,
      normaliseText(node?.description?.value),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join(', ')
  } finally {
    await session.detach()
  }
}

/** Collects announcements of live regions. Must be called before the page opens. */
export async function recordAnnouncements(
  page: Page,
): Promise<{ readonly readAnnouncements: () => Promise<readonly string[]> }> {
  await page.addInitScript(() => {
    const announcements: string[] = []
    const liveSelector = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]'
    const lastTexts = new Map<Element, string>()
    let lastChangeAt = 0
    const recordChanges = (): void => {
      lastChangeAt = performance.now()
      for (const region of document.querySelectorAll(liveSelector)) {
        const texts = document.createTreeWalker(region, NodeFilter.SHOW_TEXT)
        const parts: string[] = []
        while (texts.nextNode() !== null) parts.push(texts.currentNode.textContent ?? '')
        const text = parts.join(' ').replaceAll(/\s+/g, ' ').trim()
        // Content that is on the page when it opens is not announced.
        const isNewText = document.readyState !== 'loading' && lastTexts.get(region) !== text
        if (text !== '' && isNewText) announcements.push(text)
        lastTexts.set(region, text)
      }
    }
    new MutationObserver(recordChanges).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    /**
     * Waits until the page has not changed for 150 ms. The page's own timers measure the time, so
     * that slow machines wait longer.
     */
    const waitUntilStable = (): Promise<void> =>
      new Promise((resolve) => {
        const checkStable = (): void => {
          if (performance.now() - lastChangeAt > 150) resolve()
          else setTimeout(checkStable, 50)
        }
        setTimeout(checkStable, 50)
      })
    Object.assign(window, { announcements, waitUntilStable })
  })
  return {
    readAnnouncements: () =>
      page.evaluate(async () => {
        const { announcements, waitUntilStable } = window as unknown as {
          announcements: string[]
          waitUntilStable(): Promise<void>
        }
        await waitUntilStable()
        return announcements.splice(0)
      }),
  }
}
