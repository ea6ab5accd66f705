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
