/** Finds the texts that readers see among the literals of a source file. */
import { parseSync } from 'vite'

/** A text that readers see, with `{}` in place of its values. */
export type WrittenText = { readonly line: number; readonly text: string }

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>

/** Two words with a space between them, or a number or value and a word. */
const SENTENCE = /[A-Za-z’]{2,}[,.:;!?)]? (?:\{?[A-Za-z(]|\{|\d)|\} [a-z]{2,}/
/** A capitalised word, as on a button or a label. */
const LABEL = /^\s*[A-Z][a-z]+[.:!?…]?\s*$/
/** Part of a sentence between two elements: ", and", "of 3". */
const SENTENCE_PART = /[A-Za-z]{2,}/

/** Attributes and properties with text that users see or hear. */
const SHOWN_ATTRIBUTES =
  /^(?:label|title|alt|placeholder|message|text|subject|preview|heading|caption|hint|detail|why|summary|ariaLabel|aria-(?:label|description|roledescription|valuetext))$/
/** Attributes and properties whose values are technical names. */
const TECHNICAL_ATTRIBUTES =
  /^(?:className|class|id|key|type|rel|href|src|d|viewBox|style|sizes|srcSet|accept|autoComplete|role|target|htmlFor|transform|points|media|content|sandbox|aria-(?:labelledby|describedby|controls|owns))$/
/** Calls whose text only developers and operators read. */
const TECHNICAL_CALLS =
  /^(?:assert|expect|assertNever|require|import|matchMedia|querySelector|querySelectorAll|closest|matches|createElement|getAttribute|setAttribute|hasAttribute|addEventListener|RegExp|Error|info|warn|error|debug|fatal|trace|log)$/

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const readName = (node: unknown): string => {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression') return readName(node['property'])
  if (node.type === 'JSXNamespacedName') return ''
  const name = node['name'] ?? node['value']
  return typeof name === 'string' ? name : ''
}

/** Returns every text in a file that readers see, in file order. */
export function findWrittenTexts(path: string, source: string): readonly WrittenText[] {
  const { program } = parseSync(path, source)
  const texts: WrittenText[] = []
  const getLineAt = (offset: number) => source.slice(0, offset).split('\n').length
  const collectText = (node: Node, text: string, isShown: boolean, isChild: boolean) => {
    const plainText = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    if (
      SENTENCE.test(plainText) ||
      (isShown && LABEL.test(plainText)) ||
      (isChild && SENTENCE_PART.test(plainText))
    )
      texts.push({ line: getLineAt(node.start), text: plainText.trim() })
  }
  const walk = (value: unknown, isShown: boolean): void => {
    if (Array.isArray(value)) return value.forEach((item) => walk(item, isShown))
    if (!isNode(value)) return
    const node = value
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'TSLiteralType':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAnnotation':
      case 'ThrowStatement':
        return
      case 'Literal':
        if (typeof node['value'] === 'string') collectText(node, node['value'], isShown, false)
        return
      case 'JSXText':
        return collectText(node, String(node['value']), true, true)
      case 'TemplateLiteral': {
        const quasis = node['quasis'] as readonly Node[]
        const text = quasis
          .map((quasi) => String((quasi['value'] as { cooked: string }).cooked))
          .join('{}')
        collectText(node, text, isShown, false)
        return walk(node['expressions'], isShown)
      }
      case 'TaggedTemplateExpression':
        return walk(node['quasi'], isShown)
      case 'JSXAttribute': {
        const name = readName(node['name'])
        return TECHNICAL_ATTRIBUTES.test(name)
          ? undefined
          : walk(node['value'], SHOWN_ATTRIBUTES.test(name))
      }
      case 'Property': {
        const name = readName(node['key'])
        return TECHNICAL_ATTRIBUTES.test(name) &&
          isNode(node['value']) &&
          node['value'].type !== 'ArrowFunctionExpression'
          ? undefined
          : walk(node['value'], SHOWN_ATTRIBUTES.test(name) || isShown)
      }
      case 'CallExpression':
      case 'NewExpression':
        if (TECHNICAL_CALLS.test(readName(node['callee']))) return
        walk(node['callee'], false)
        return walk(node['arguments'], isShown)
      case 'BinaryExpression':
        return node['operator'] === '+'
          ? (walk(node['left'], isShown), walk(node['right'], isShown))
          : undefined
      case 'SwitchCase':
        return walk(node['consequent'], isShown)
      case 'ConditionalExpression':
        walk(node['test'], false)
        walk(node['consequent'], isShown)
        return walk(node['alternate'], isShown)
      case 'MemberExpression':
        walk(node['object'], false)
        return
      case 'JSXElement':
        walk(node['openingElement'], false)
        return walk(node['children'], true)
      case 'JSXFragment':
        return walk(node['children'], true)
      default:
        for (const [key, child] of Object.entries(node))
          if (key !== 'type' && typeof child === 'object')
            walk(child, isShown && !/Statement|Declar|Function/.test(node.type))
    }
  }
  walk(program, false)
  return texts
}
