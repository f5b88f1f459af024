// The DOM as HTML, what shadow roots show put where it shows. The page stays as it is: it may be
// photographed, and its elements would notice being moved.
const attachShadow = unbound(Element.prototype.attachShadow);
const shadowRoots = [];
Element.prototype.attachShadow = function (options) {
  const root = attachShadow(this, { ...options, mode: 'open' });
  shadowRoots[shadowRoots.length] = root;
  return root;
};
const ELEMENT = 1;
const hasShadowRoots = () => {
  const elements = elementsNamed(document, '*');
  const length = lengthOf(elements);
  for (let at = 0; at < length; at += 1)
    if (shadowRootOf(itemOf(elements, at))) return true;
  return false;
};
const isSlot = (node) => localNameOf(node) === 'slot' && treeOf(node) !== document;
// Puts copies of what `root` shows into an inert document, where no element is custom and nothing
// is loaded. A stack of our own, as pages nest deeper than functions may.
const flattened = (root) => {
  const inert = newDocument('');
  const holder = importNode(inert, root, false);
  const stack = [];
  let depth = 0;
  const enter = (parent, copy) => {
    const slotted = isSlot(parent) ? assignedTo(parent) : nothing;
    const first = firstChildOf(shadowRootOf(parent) ?? parent);
    stack[depth] = slotted?.length ? { copy, slotted, at: 0 } : { copy, next: first };
    depth += 1;
  };
  const nextOf = (level) => {
    if (level.slotted) return level.slotted[level.at++];
    const node = level.next;
    if (node) level.next = nextSiblingOf(node);
    return node;
  };
  enter(root, holder);
  while (depth) {
    const level = stack[depth - 1];
    const node = nextOf(level);
    if (!node) { depth -= 1; continue; }
    const isElement = nodeTypeOf(node) === ELEMENT;
    if (isElement && isSlot(node)) { enter(node, level.copy); continue; }
    const isTemplate = isElement && localNameOf(node) === 'template';
    const copy = appendTo(level.copy, importNode(inert, node, isTemplate));
    if (isElement && !isTemplate) enter(node, copy);
  }
  return holder;
};
const read = (maxChars) => {
  const root = rootOf(document);
  const doctype = doctypeOf(document) ? '<!DOCTYPE html>' : '';
  const shown = root && hasShadowRoots() ? flattened(root) : root;
  const html = doctype + (shown ? outerHtmlOf(shown) : '');
  return {
    __proto__: null,
    html: wellFormed(slice(html, 0, maxChars)),
    title: wellFormed(slice(titleOf(document), 0, 10000)),
    url: location.href,
    isLeft,
  };
};
