(function () {
  "use strict";

  var root = document.getElementById("root");
  var navigation = [];

  function element(tag, attributes, children) {
    var node = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      node.setAttribute(name, attributes[name]);
    });
    (children || []).forEach(function (child) {
      node.append(child);
    });
    return node;
  }

  function link(item) {
    return element("a", { href: item.path }, [item.label]);
  }

  function routeOf(location) {
    return location.pathname.replace(/\/+$/, "") || "/";
  }

  function readJson(path) {
    return fetch(path).then(function (response) {
      var type = response.headers.get("content-type") || "";
      // The server answers an unknown address with the shell, as servers of such sites do.
      return response.ok && type.indexOf("json") >= 0 ? response.json() : null;
    });
  }

  function describe(route, title, summary, found) {
    document.title = title + " | Wendel Basin Data Portal";
    document.head.querySelectorAll("[data-route]").forEach(function (node) {
      node.remove();
    });
    var tags = found
      ? [
          element("link", { rel: "canonical", href: location.origin + route, "data-route": "" }),
          element("meta", { name: "description", content: summary, "data-route": "" })
        ]
      : [element("meta", { name: "robots", content: "noindex", "data-route": "" })];
    tags.forEach(function (node) {
      document.head.append(node);
    });
  }

  function figures(items) {
    return element("ul", { class: "figures" }, items.map(function (item) {
      return element("li", {}, [element("strong", {}, [item.value]), item.label]);
    }));
  }

  function links(items) {
    return element("ul", { class: "links" }, items.map(function (item) {
      return element("li", {}, [link(item)]);
    }));
  }

  function view(page) {
    var body = element("div", { class: "body" });
    body.innerHTML = page.html;
    return element("main", {}, [
      element("h1", {}, [page.title]),
      element("p", { class: "lead" }, [page.summary]),
      figures(page.figures),
      body,
      links(page.links)
    ]);
  }

  function missingView() {
    return element("main", { class: "not-found" }, [
      element("h1", {}, ["Page not found"]),
      element("p", {}, ["No such route."])
    ]);
  }

  function frame(content) {
    root.replaceChildren(
      element("header", { class: "bar" }, [element("nav", {}, navigation.map(link))]),
      content,
      element("footer", {}, [element("p", {}, ["Published by the Wendel Basin Authority."])])
    );
  }

  function show(route) {
    return readJson("/api/pages" + (route === "/" ? "/index" : route) + ".json").then(function (page) {
      describe(route, page ? page.title : "Page not found", page ? page.summary : "", Boolean(page));
      frame(page ? view(page) : missingView());
    });
  }

  function follow(event) {
    var anchor = event.target.closest("a");
    if (!anchor || anchor.origin !== location.origin || event.metaKey || event.ctrlKey) {
      return;
    }
    event.preventDefault();
    history.pushState({}, "", anchor.href);
    show(routeOf(location));
  }

  document.addEventListener("click", follow);
  window.addEventListener("popstate", function () {
    show(routeOf(location));
  });

  readJson("/api/navigation.json").then(function (answer) {
    navigation = answer.items;
    return show(routeOf(location));
  });
})();
