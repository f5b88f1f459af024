// What pages replace (zone.js, polyfills, spite) or hide behind the names of their elements
// (<form name="title">), taken before any script of theirs runs. The other parts use these.
const { DOMException, NodeFilter, Object, Promise, ProgressEvent, Symbol, TypeError } = window;
const { apply } = Reflect;
const unbound = (method) => Function.prototype.call.bind(method);
const reader = (prototype, name) =>
  unbound(Object.getOwnPropertyDescriptor(prototype, name).get);

const later = setTimeout.bind(window);
const clock = performance.now.bind(performance);
const then = unbound(Promise.prototype.then);
const rejected = Promise.reject.bind(Promise);
const slice = unbound(String.prototype.slice);
const trim = unbound(String.prototype.trim);
const wellFormed = unbound(String.prototype.toWellFormed);
const addListener = unbound(EventTarget.prototype.addEventListener);
const dispatch = unbound(EventTarget.prototype.dispatchEvent);

const bodyOf = reader(Document.prototype, 'body');
const doctypeOf = reader(Document.prototype, 'doctype');
const linksOf = reader(Document.prototype, 'links');
const readyStateOf = reader(Document.prototype, 'readyState');
const rootOf = reader(Document.prototype, 'documentElement');
const titleOf = reader(Document.prototype, 'title');
const elementsNamed = unbound(Document.prototype.getElementsByTagName);
const query = unbound(Document.prototype.querySelector);
const walk = unbound(Document.prototype.createTreeWalker);
const importNode = unbound(Document.prototype.importNode);
const newDocument = document.implementation.createHTMLDocument.bind(document.implementation);

const currentNodeOf = reader(TreeWalker.prototype, 'currentNode');
const nextNode = unbound(TreeWalker.prototype.nextNode);
const lengthOf = reader(HTMLCollection.prototype, 'length');
const itemOf = unbound(HTMLCollection.prototype.item);
const dataOf = reader(CharacterData.prototype, 'data');
const firstChildOf = reader(Node.prototype, 'firstChild');
const nextSiblingOf = reader(Node.prototype, 'nextSibling');
const nodeTypeOf = reader(Node.prototype, 'nodeType');
const parentElementOf = reader(Node.prototype, 'parentElement');
const textOf = reader(Node.prototype, 'textContent');
const appendTo = unbound(Node.prototype.appendChild);
const treeOf = unbound(Node.prototype.getRootNode);
const localNameOf = reader(Element.prototype, 'localName');
const outerHtmlOf = reader(Element.prototype, 'outerHTML');
const shadowRootOf = reader(Element.prototype, 'shadowRoot');
const assignedTo = unbound(HTMLSlotElement.prototype.assignedNodes);
const replaceState = history.replaceState.bind(history);
